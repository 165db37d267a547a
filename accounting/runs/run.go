package runs

import (
	"encoding/binary"
	"hash/fnv"
	"time"

	"fairbridge/accounting/internal/value"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
)

// runKey identifies a run of a job within a cluster.
type runKey struct {
	job, submit int64
	restarts    int
}

func keyOf(r slurm.Run) runKey { return runKey{r.Job, r.Submit, r.Restarts} }

// known is what the database holds of a run.
type known struct {
	runKey
	arrive  time.Time
	sluid   string
	user    string
	started *time.Time
	closed  bool
	settled bool // stands as slurmdbd has it
	digest  int64
}

func (k *known) run() slurm.Run {
	return slurm.Run{Job: k.job, Submit: k.submit, Restarts: k.restarts, SLUID: k.sluid}
}

// seenRun is a run as the view shows it.
type seenRun struct {
	runKey
	*slurm.Job
	arrive time.Time
	ended  time.Time // zero: not yet, as far as Slurm shows
	closed bool
	digest int64
}

// ending is a run that ended without Slurm showing how.
type ending struct {
	runKey
	at    time.Time
	state string
}

// changes are what a view adds to what is known. It is computed without the
// database, and empty when nothing changed.
type changes struct {
	runs    []seenRun // new or different
	endings []ending
}

// Inferred states of runs whose end was not seen.
const (
	requeued = "REQUEUED"
	vanished = "VANISHED"
)

// compare finds what the view changes. past is sorted by job, submit and
// restarts; before is the time of the last view, zero when this is the first.
func compare(v *slurm.View, past []known, before time.Time) changes {
	of := make(map[int64][]known, len(past))
	for from, i := 0, 0; i < len(past); i++ {
		if i+1 == len(past) || past[i+1].job != past[i].job {
			of[past[i].job] = past[from : i+1]
			from = i + 1
		}
	}
	var c changes
	for i := range v.Jobs {
		j := &v.Jobs[i]
		if j.ID == 0 {
			continue
		}
		mine := of[j.ID]
		delete(of, j.ID)
		if j.Opaque == "" {
			c.job(j, mine, v.At, before)
		}
	}
	if v.Full && !before.IsZero() {
		for i := range past {
			if _, absent := of[past[i].job]; absent && !past[i].closed {
				c.endings = append(c.endings, ending{past[i].runKey, before, vanished})
			}
		}
	}
	return c
}

// job compares one record with the known runs of its id.
func (c *changes) job(j *slurm.Job, mine []known, at, before time.Time) {
	run := j.Run()
	s := seenRun{runKey: keyOf(run), Job: j, arrive: j.Submit}
	var was *known
	for i := range mine {
		k := &mine[i]
		switch old := k.run(); {
		case old.Same(run) || sameStart(k, j):
			was, s.runKey, s.arrive = k, k.runKey, k.arrive
		case ledger.SameJob(old, run) && k.user == j.User && !k.arrive.After(j.Submit):
			if was == nil {
				s.arrive = k.arrive
			}
			c.end(k, j.Submit, at, requeued)
		default:
			c.end(k, before, at, vanished)
		}
	}
	s.finish(at)
	if was == nil || was.digest != s.digest && !was.settled {
		c.runs = append(c.runs, s)
	}
}

// end closes a known run at t, but not later than now.
func (c *changes) end(k *known, t, now time.Time, state string) {
	if k.closed {
		return
	}
	if t.IsZero() || t.After(now) {
		t = now
	}
	c.endings = append(c.endings, ending{k.runKey, t, state})
}

// sameStart reports whether the record shows the known run by its start: while
// a requeued run is completing, some releases count the restart already.
func sameStart(k *known, j *slurm.Job) bool {
	t := startedAt(j)
	return t != nil && k.started != nil && t.Equal(*k.started) && k.user == j.User
}

// finish fills in how far the run has come, and the digest of all that is
// stored of it.
func (s *seenRun) finish(at time.Time) {
	s.closed = s.Done()
	started, end := startedAt(s.Job), int64(0)
	if started != nil || s.closed {
		s.ended = stopOf(s.Job, at)
	}
	if !s.ended.IsZero() {
		end = unix(s.End)
	}
	h := fnv.New64a()
	text := func(list ...string) {
		for _, t := range list {
			_, _ = h.Write([]byte(t))
			_, _ = h.Write([]byte{0})
		}
	}
	number := func(list ...int64) {
		for _, n := range list {
			_, _ = h.Write(binary.LittleEndian.AppendUint64(nil, uint64(n)))
		}
	}
	text(s.SLUID, s.Name, s.User, s.Account, s.QOS, s.Partition(), s.State, s.Reason, s.Nodes.Text, s.Allocated.Text, s.Request.Text)
	for i := range s.Gres {
		text(s.Gres[i].Text)
	}
	text(s.Flags...)
	number(unix(value.UTC(started)), end, unix(s.Suspended), int64(s.PreSuspend), int64(s.Limit), s.ArrayJob, s.ArrayTask, int64(s.Restarts))
	if s.digest = int64(h.Sum64()); s.digest == 0 {
		s.digest = 1 // 0 means: write it again
	}
}

func unix(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}
