package cycle

import (
	"fmt"
	"maps"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/push"
	"fairbridge/bridge/slurm"
)

// putBackPause is how long nothing is sent after the database was put back to
// an older state: longer than an unanswered call may take to be carried out.
const putBackPause = 5 * time.Minute

// done is what this daemon knows of itself without the database, which may be
// put back from a backup behind its back.
type done struct {
	cycles   map[string]uint64       // by partition: the number of the last cycle that was stored
	requeued map[slurm.Run]time.Time // runs that a requeue was sent to
	back     time.Time               // when the database was last found to be older than that; zero: never
}

func newDone() done {
	return done{cycles: map[string]uint64{}, requeued: map[slurm.Run]time.Time{}}
}

// stored notes a cycle that the database has.
func (d *done) stored(partition string, seq uint64) { d.cycles[partition] = seq }

// found compares what the database says is the last cycle of a partition with
// what this daemon stored there.
func (d *done) found(partition string, seq uint64, now time.Time) {
	if seq < d.cycles[partition] {
		d.back = now
	}
	d.cycles[partition] = seq
}

// sent notes the requeues that were sent.
func (d *done) sent(intents []bridge.Intent, now time.Time) {
	maps.DeleteFunc(d.requeued, func(_ slurm.Run, at time.Time) bool { return now.Sub(at) > push.Recent })
	for i := range intents {
		if in := &intents[i]; in.Edit.Kind == slurm.Requeue && in.State != bridge.Void {
			d.requeued[in.Edit.Run] = now
		}
	}
}

// putBack says why nothing may be sent for now; nil when the database knows all
// that this daemon did.
func (d *done) putBack(now time.Time) error {
	if d.back.IsZero() || now.Sub(d.back) >= putBackPause {
		return nil
	}
	return fmt.Errorf("the database is older than what this daemon stored in it: it was put back from a backup, and what was sent since is not in it. "+
		"Nothing is sent until %s; then run fairbridge release once if numbers of ours are left in jobs it does not list", d.back.Add(putBackPause).UTC().Format(time.RFC3339))
}
