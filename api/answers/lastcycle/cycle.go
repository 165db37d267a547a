// Package lastcycle holds the last cycle of each partition in memory, with its jobs by rank, found by
// number, address, user, account and node.
package lastcycle

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"fairbridge/accounting/journal"
	"fairbridge/api"
	"fairbridge/bridge"
	"fairbridge/policy"
)

// Cycle is the last cycle of a partition. Nothing in it is ever changed once it is made: requests
// that run side by side share it.
type Cycle struct {
	journal.CycleHead
	Refusals []bridge.Refusal
	Snapshot *policy.Snapshot // nil: it is no longer kept
	Rows     []api.QueueJob   // by rank, of all jobs
	index
}

// newCycle makes the cycle from its rows as they are stored or would be. Snapshot may be nil.
func newCycle(head *journal.CycleHead, refusals []bridge.Refusal, s *policy.Snapshot, stored []journal.QueueRow) *Cycle {
	c := &Cycle{CycleHead: *head, Refusals: refusals, Snapshot: s, Rows: make([]api.QueueJob, 0, len(stored))}
	refusalsByJob := map[policy.JobID][]bridge.Refusal{}
	for _, r := range refusals {
		refusalsByJob[r.Job] = append(refusalsByJob[r.Job], r)
	}
	for _, q := range stored {
		row := api.QueueJob{QueueRow: q, Address: fmt.Sprint(q.JobID)}
		for _, r := range refusalsByJob[q.JobID] {
			if !strings.Contains(q.Why, r.Why) {
				row.NotPushed = append(row.NotPushed, r.Why)
			}
		}
		addJob(&row, s)
		c.Rows = append(c.Rows, row)
	}
	c.index = newIndex(c.Rows, s)
	return c
}

// addJob adds what the snapshot shows of the job.
func addJob(row *api.QueueJob, s *policy.Snapshot) {
	if s == nil {
		return
	}
	j := s.Job(row.JobID)
	if j == nil {
		return
	}
	row.Address, row.GPUs = j.Label(), GPUCount(j)
	if j.TaskCount() > 1 {
		row.Tasks = j.TaskCount()
	}
}

// GPUCount counts the GPUs of a job and all the tasks it stands for.
func GPUCount(j *policy.Job) int {
	if n := j.On.Count(); n > 0 {
		return n
	}
	return j.Ask.GPUs.Count * j.TaskCount()
}

// WholeRefusals say, beside the mode, why nothing at all was sent to Slurm in the cycle; none: what was
// let through was sent.
func (c *Cycle) WholeRefusals() (refusals []bridge.Refusal) {
	for _, r := range c.Refusals {
		if r.Job == 0 {
			refusals = append(refusals, r)
		}
	}
	return refusals
}

// ModeReasons says why nothing is sent in a mode; none: the mode allows it.
func ModeReasons(m bridge.Mode) []string {
	if m == "" || m.Allows(bridge.ModeRank) {
		return nil
	}
	return []string{fmt.Sprintf("mode %s sends nothing", m)}
}

// RefusalsOf are what was turned down about the job, but for what its decision says already.
func (c *Cycle) RefusalsOf(id policy.JobID, why string) (out []bridge.Refusal) {
	for _, r := range c.Refusals {
		if r.Job == id && !strings.Contains(why, r.Why) {
			out = append(out, r)
		}
	}
	return out
}

// Age is how old the cycle is.
func (c *Cycle) Age(now time.Time) time.Duration { return now.Sub(c.At) }

// decidedRows returns the rows of a plan, by rank, as the journal would store them.
func decidedRows(partition string, s *policy.Snapshot, p *policy.Plan, reasonByJob map[policy.JobID]string) []journal.QueueRow {
	rows := make([]journal.QueueRow, 0, len(p.Decisions))
	for i := range p.Decisions {
		d := &p.Decisions[i]
		q := journal.QueueRow{Partition: partition, Rank: d.Rank, JobID: d.Job, Verb: d.Verb, Placement: d.On.String(), Why: d.Why, Reason: reasonByJob[d.Job]}
		if j := s.Job(d.Job); j != nil {
			q.Name, q.User, q.Account, q.State = j.Name, j.User, j.Account, strings.ToUpper(string(j.State))
			q.Arrive, q.Start = j.Arrive, j.Start
		}
		rows = append(rows, q)
	}
	slices.SortFunc(rows, func(x, y journal.QueueRow) int { return x.Rank - y.Rank })
	return rows
}

// Nodes are the nodes that the cycle saw; none where its snapshot is no longer kept.
func (c *Cycle) Nodes() []policy.Node {
	if c.Snapshot == nil {
		return nil
	}
	return c.Snapshot.Nodes
}
