package slurmrun

import (
	"slices"
	"time"

	"fairbridge/bridge/cycle"
	"fairbridge/bridge/sim"
	clusterspec "fairbridge/bridge/study/cluster"
	"fairbridge/bridge/study/measure"
	"fairbridge/policy"
)

// planWatch remembers what the last plan that saw a job wait wanted of it.
type planWatch map[int64]policy.Verb

func (w planWatch) noteCycle(rep *cycle.Report) {
	for i := range rep.PartitionResults {
		p := rep.PartitionResults[i].PolicyPlan
		if p == nil {
			continue
		}
		for k := range p.Decisions {
			if d := &p.Decisions[k]; d.Verb == policy.Start || d.Verb == policy.Wait {
				w[int64(d.Job)] = d.Verb
			}
		}
	}
}

// countStarts counts the first starts of jobs by what the last plan before wanted of them.
func (r *runner) countStarts(runs []sim.EndedRun) (n measure.StartCounts) {
	waits := newGangWaits(r, runs)
	for i := range runs {
		e := &runs[i]
		if e.RestartCount > 0 {
			continue
		}
		verb, isSeen := r.plans[e.JobID]
		switch {
		case verb == policy.Start:
			n.Planned++
			continue
		case isSeen:
			n.AgainstPlan++
		default:
			n.Unseen++
		}
		if waits.anyAt(e.Start) {
			n.PastGang++
		}
	}
	return n
}

// gangWaits are when jobs of a node and more were submitted and when they first started, each sorted.
type gangWaits struct{ submits, starts []time.Time }

func newGangWaits(r *runner, runs []sim.EndedRun) (w gangWaits) {
	node := clusterspec.MaxGPUsPerNode(r.Nodes)
	for i := range runs {
		if e := &runs[i]; e.RestartCount == 0 && e.GPUCount >= node {
			w.submits, w.starts = append(w.submits, e.SubmitTime), append(w.starts, e.Start)
		}
	}
	slices.SortFunc(w.submits, time.Time.Compare)
	slices.SortFunc(w.starts, time.Time.Compare)
	return w
}

// anyAt reports whether one of them waited then, and goes on waiting.
func (w gangWaits) anyAt(t time.Time) bool {
	submitted, _ := slices.BinarySearchFunc(w.submits, t, time.Time.Compare)
	started, _ := slices.BinarySearchFunc(w.starts, t.Add(1), time.Time.Compare)
	return submitted > started
}
