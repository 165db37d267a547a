package lastcycle

import (
	"maps"
	"slices"

	"fairbridge/accounting/journal"
	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/policy"
)

// noted is a cycle that was handed over, whose rows are made when they are first asked for.
type noted struct {
	head        journal.CycleHead
	refusals    []bridge.Refusal
	snapshot    *policy.Snapshot
	plan        *policy.Plan
	reasonByJob map[policy.JobID]string
}

// Note takes over what a cycle of the daemon itself decided, without the database. It copies what
// the loop goes on with, and is quick: the loop waits for it. Snapshots and plans are shared: the
// loop makes them anew in each cycle and changes none that its report has.
func (c *Cache) Note(r *cycle.Report) {
	var list []*noted
	for i := range r.PartitionResults {
		if e := &r.PartitionResults[i]; e.Err == nil && e.Snapshot != nil && e.Plan != nil {
			list = append(list, newNoted(r, e))
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.Result == cycle.ResultStandby {
		c.leads = false
		return
	}
	for _, n := range list {
		c.notedByName[n.head.Partition] = n
	}
	if len(list) > 0 {
		c.leads, c.notAt = true, c.now()
	}
}

func newNoted(r *cycle.Report, e *cycle.PartitionResult) *noted {
	n := &noted{
		head: journal.CycleHead{
			Partition: e.Partition.Name, Seq: e.Snapshot.Seq, At: e.Snapshot.Now, Mode: e.Partition.Mode, Policy: e.Partition.Policy, Params: e.Partition.Params,
		},
		snapshot: e.Snapshot, plan: e.Plan, refusals: e.RecordedRefusals(), reasonByJob: map[policy.JobID]string{},
	}
	if r.View != nil {
		for i := range r.View.Jobs {
			j := &r.View.Jobs[i]
			n.reasonByJob[policy.JobID(j.ID)] = j.Reason
		}
	}
	return n
}

// buildNoted makes the cycles that were handed over ready to be asked. Who calls it holds the turn.
func (c *Cache) buildNoted() {
	c.mu.Lock()
	list := slices.Collect(maps.Values(c.notedByName))
	c.mu.Unlock()
	var built []*Cycle
	for _, n := range list {
		rows := decidedRows(n.head.Partition, n.snapshot, n.plan, n.reasonByJob)
		built = append(built, newCycle(&n.head, n.refusals, n.snapshot, rows))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, one := range built {
		c.cycleByName[one.Partition] = one
		if c.notedByName[one.Partition] == list[i] {
			delete(c.notedByName, one.Partition)
		}
	}
}
