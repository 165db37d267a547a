package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
)

// journal is the ledger and the last cycle of every partition.
type journal struct {
	intents  []bridge.Intent // by ID
	ids      int64
	last     map[string]*bridge.Cycle
	requeues map[int64][]requeue // by job
}

// requeue is one of ours that reached, or may have reached, Slurm.
type requeue struct {
	id   int64
	made time.Time
	sent time.Time
	dead bool // it had no effect
}

// Intend implements bridge.Journal.
func (j *journal) Intend(_ context.Context, c *bridge.Cycle, intents []bridge.Intent) ([]bridge.Intent, error) {
	if c != nil {
		if last := j.last[c.Partition]; last != nil && c.Seq <= last.Seq {
			return nil, fmt.Errorf("cycle %d of partition %s comes after cycle %d", c.Seq, c.Partition, last.Seq)
		}
		kept := *c
		kept.Snapshot = nil
		j.last[c.Partition] = &kept
	}
	out := slices.Clone(intents)
	for i := range out {
		j.ids++
		out[i].ID, out[i].State = j.ids, bridge.Planned
	}
	j.intents = append(j.intents, out...)
	return out, nil
}

// Mark implements bridge.Journal.
func (j *journal) Mark(_ context.Context, in bridge.Intent) error {
	i, ok := slices.BinarySearchFunc(j.intents, in.ID, func(x bridge.Intent, id int64) int { return cmp.Compare(x.ID, id) })
	switch {
	case !ok:
		return fmt.Errorf("marking intent %d: it is not in the ledger", in.ID)
	case !j.intents[i].Closed.IsZero() && in.State != j.intents[i].State:
		return fmt.Errorf("marking intent %d %s: it is %s", in.ID, in.State, j.intents[i].State)
	}
	was := &j.intents[i]
	if in.Edit.Kind == slurm.Requeue {
		j.requeued(was, &in)
	}
	was.State, was.Error, was.Polls, was.Before = in.State, in.Error, in.Polls, in.Before
	was.Edit.Until, was.NotAfter, was.Sent, was.Closed = in.Edit.Until, in.NotAfter, in.Sent, in.Closed
	return nil
}

// requeued notes what became of a requeue.
func (j *journal) requeued(was, is *bridge.Intent) {
	if j.requeues == nil {
		j.requeues = map[int64][]requeue{}
	}
	list := j.requeues[is.Edit.Run.Job]
	i := slices.IndexFunc(list, func(r requeue) bool { return r.id == is.ID })
	if i < 0 {
		i = len(list)
		list = append(list, requeue{id: is.ID, made: is.Made})
	}
	list[i].sent = is.Sent
	open := is.State == bridge.Sent || is.State == bridge.Acked || is.State == bridge.Unknown
	seen := is.State == bridge.Observed || was.State == bridge.Observed
	list[i].dead = !open && !seen
	j.requeues[is.Edit.Run.Job] = list
}

// stops returns when a job was requeued by us since it arrived.
func (j *journal) stops(job int64, arrive time.Time) []time.Time {
	var out []time.Time
	for _, r := range j.requeues[job] {
		if r.dead || r.made.Before(arrive) {
			continue
		}
		at := r.sent
		if at.IsZero() {
			at = r.made
		}
		out = append(out, at)
	}
	return out
}

// Intents implements bridge.Journal. since must not go back from call to call:
// what was closed by then is forgotten. The slice is good until the next call;
// the intents in it change when they are marked.
func (j *journal) Intents(_ context.Context, _ string, _, since time.Time) ([]bridge.Intent, error) {
	n := 0
	for i := range j.intents {
		if in := &j.intents[i]; in.Closed.IsZero() || in.Closed.After(since) {
			if n < i {
				j.intents[n] = *in
			}
			n++
		}
	}
	clear(j.intents[n:])
	j.intents = j.intents[:n]
	return slices.Clip(j.intents), nil
}

// Memo implements bridge.History.
func (j *journal) Memo(_ context.Context, _, partition string) (bridge.Memo, error) {
	c := j.last[partition]
	if c == nil {
		return bridge.Memo{}, nil
	}
	m := bridge.Memo{Policy: c.Policy, Params: c.Params, Seq: c.Seq}
	if c.Plan != nil && !c.Plan.Memo.IsZero() {
		var err error
		if m.Bytes, err = c.Plan.Memo.MarshalJSON(); err != nil {
			return bridge.Memo{}, fmt.Errorf("writing the memo of partition %s: %w", partition, err)
		}
	}
	return m, nil
}

// Open returns how many intents wait for their outcome.
func (j *journal) Open() int {
	n := 0
	for i := range j.intents {
		if j.intents[i].State.Open() {
			n++
		}
	}
	return n
}

// Skip counts so many cycles of the partition as run: the next has the number
// it would have had.
func (j *journal) Skip(partition string, cycles int) {
	if c := j.last[partition]; c != nil {
		c.Seq += uint64(cycles)
	}
}
