package memstore

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// journal is the ledger and the last cycle of every partition.
type journal struct {
	intents              []bridge.Intent          // by ID
	lastIntentID         int64                    // the last one given
	openIntentByField    map[slurm.JobField]int64 // the intents without outcome, one a field
	lastCycleByPartition map[string]*storedCycle
	lastPlanByDecider    map[bridge.Decider]*policy.Plan
	requeuesByJob        map[int64][]ownRequeue // by job
}

// storedCycle is the last one of a partition, and the ids of its intents: n from the first.
type storedCycle struct {
	bridge.Cycle
	firstIntentID int64
	intentCount   int
}

func newJournal() journal {
	return journal{openIntentByField: map[slurm.JobField]int64{}, lastCycleByPartition: map[string]*storedCycle{}, lastPlanByDecider: map[bridge.Decider]*policy.Plan{}, requeuesByJob: map[int64][]ownRequeue{}}
}

// commonEpoch returns the epoch everything is written under.
func commonEpoch(c *bridge.Cycle, intents []bridge.Intent) (int64, error) {
	var epoch int64
	if c != nil {
		epoch = c.Epoch
	} else {
		epoch = intents[0].Epoch
	}
	for i := range intents {
		if in := &intents[i]; in.Epoch != epoch {
			return 0, fmt.Errorf("one is for epoch %d, the others for %d", in.Epoch, epoch)
		}
	}
	return epoch, nil
}

// storeIntents stores all of it or nothing.
func (j *journal) storeIntents(c *bridge.Cycle, intents []bridge.Intent) ([]bridge.Intent, error) {
	out := slices.Clone(intents)
	for i := range out {
		out[i].State = bridge.IntentPlanned
		if c != nil {
			out[i].Cycle = c.Seq
		}
	}
	if c != nil && j.lastCycleByPartition[c.Partition] != nil && c.Seq <= j.lastCycleByPartition[c.Partition].Seq {
		if err := j.lastCycleByPartition[c.Partition].fillIntentIDs(c, out); err != nil {
			return nil, err
		}
		return out, nil
	}
	if err := j.checkFieldsFree(out); err != nil {
		return nil, err
	}
	if c != nil {
		kept := &storedCycle{*c, j.lastIntentID + 1, len(out)}
		kept.Snapshot = nil
		j.lastCycleByPartition[c.Partition] = kept
		j.lastPlanByDecider[bridge.Decider{Partition: c.Partition, Policy: c.Policy, Params: c.Params}] = c.Plan
	}
	for i := range out {
		j.lastIntentID++
		out[i].ID = j.lastIntentID
		j.openIntentByField[out[i].Edit.WrittenField()] = j.lastIntentID
	}
	j.intents = append(j.intents, out...)
	return out, nil
}

// checkFieldsFree refuses a second open intent for a field of a job.
func (j *journal) checkFieldsFree(intents []bridge.Intent) error {
	mine := make(map[slurm.JobField]bool, len(intents))
	for i := range intents {
		f := intents[i].Edit.WrittenField()
		if _, open := j.openIntentByField[f]; open || mine[f] {
			return fmt.Errorf("%w: a job's field has an intent whose outcome is still open (%s of job %d)", bridge.ErrConflict, f.Field, f.Job)
		}
		mine[f] = true
	}
	return nil
}

// fillIntentIDs fills in the ids of a cycle that is stored already.
func (last *storedCycle) fillIntentIDs(c *bridge.Cycle, out []bridge.Intent) error {
	was, err := json.Marshal(last.Plan)
	if err != nil {
		return fmt.Errorf("printing the plan: %w", err)
	}
	is, err := json.Marshal(c.Plan)
	switch {
	case err != nil:
		return fmt.Errorf("printing the plan: %w", err)
	case c.Seq < last.Seq:
		return fmt.Errorf("%w: cycle %d of partition %s comes after cycle %d", bridge.ErrConflict, c.Seq, c.Partition, last.Seq)
	case c.Epoch != last.Epoch || c.SnapshotDigest != last.SnapshotDigest || !bytes.Equal(was, is):
		return fmt.Errorf("%w: cycle %d of partition %s came from another snapshot or epoch", bridge.ErrConflict, c.Seq, c.Partition)
	case len(out) != last.intentCount:
		return fmt.Errorf("%w: cycle %d of partition %s has %d intents there, %d here", bridge.ErrConflict, c.Seq, c.Partition, last.intentCount, len(out))
	}
	for i := range out {
		out[i].ID = last.firstIntentID + int64(i)
	}
	return nil
}

// intentsSince returns every intent that is not closed, or was closed after that.
func (j *journal) intentsSince(since time.Time) []bridge.Intent {
	isWanted := func(in *bridge.Intent) bool { return in.Closed.IsZero() || in.Closed.After(since) }
	n := 0
	for i := range j.intents {
		if isWanted(&j.intents[i]) {
			n++
		}
	}
	if n == len(j.intents) {
		return slices.Clone(j.intents)
	}
	out := make([]bridge.Intent, 0, n)
	for i := range j.intents {
		if in := &j.intents[i]; isWanted(in) {
			out = append(out, *in)
		}
	}
	return out
}

// forgetClosed drops the closed intents that can be forgotten.
func (j *journal) forgetClosed(canForget func(*bridge.Intent) bool) {
	kept := j.intents[:0]
	for i := range j.intents {
		in := &j.intents[i]
		switch {
		case !in.Closed.IsZero() && canForget(in):
		case len(kept) < i:
			kept = append(kept, *in)
		default: // it stands where it is to stand
			kept = j.intents[:i+1]
		}
	}
	clear(j.intents[len(kept):])
	j.intents = kept
}

// findIntent returns the intent, nil if it is not in the ledger.
func (j *journal) findIntent(id int64) *bridge.Intent {
	i, ok := slices.BinarySearchFunc(j.intents, id, func(x bridge.Intent, id int64) int { return cmp.Compare(x.ID, id) })
	if !ok {
		return nil
	}
	return &j.intents[i]
}

func (j *journal) lastMemo(p *bridge.Partition) (m bridge.Memo, err error) {
	if c := j.lastCycleByPartition[p.Name]; c != nil {
		m.CycleSeq = c.Seq
	}
	if plan := j.lastPlanByDecider[p.Decider()]; plan != nil && !plan.Memo.IsZero() {
		if m.Bytes, err = plan.Memo.MarshalJSON(); err != nil {
			return bridge.Memo{}, fmt.Errorf("writing the memo of partition %s: %w", p.Name, err)
		}
	}
	return m, nil
}

func (j *journal) skipCycles(partition string, cycles int) {
	if c := j.lastCycleByPartition[partition]; c != nil {
		c.Seq += uint64(cycles)
	}
}

func (j *journal) clone() journal {
	c := *j
	c.intents, c.openIntentByField, c.lastCycleByPartition = slices.Clone(j.intents), maps.Clone(j.openIntentByField), maps.Clone(j.lastCycleByPartition)
	c.lastPlanByDecider = maps.Clone(j.lastPlanByDecider)
	c.requeuesByJob = map[int64][]ownRequeue{}
	for job, list := range j.requeuesByJob {
		c.requeuesByJob[job] = slices.Clone(list)
	}
	return c
}
