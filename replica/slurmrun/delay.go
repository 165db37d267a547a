package slurmrun

import (
	"slices"
	"time"

	"fairbridge/policy"
	clusterspec "fairbridge/replica/cluster"
	"fairbridge/replica/sim"
)

// startedRuns are the runs of jobs by their start, and those of them that run at a moment, which moves ahead.
type startedRuns struct {
	byStart     []sim.EndedRun
	firstByJob  map[int64]*sim.EndedRun
	nodes       []policy.Node
	gpusPerNode int
	running     []*sim.EndedRun
}

func newStartedRuns(nodes []policy.Node, ended []sim.EndedRun) *startedRuns {
	s := &startedRuns{byStart: slices.Clone(ended), firstByJob: map[int64]*sim.EndedRun{}, nodes: nodes,
		gpusPerNode: max(clusterspec.MaxGPUsPerNode(nodes), 1)}
	slices.SortStableFunc(s.byStart, func(a, b sim.EndedRun) int { return a.Start.Compare(b.Start) })
	for i := range s.byStart {
		if e := &s.byStart[i]; e.RestartCount == 0 {
			s.firstByJob[e.JobID] = e
		}
	}
	return s
}

// start moves to the moment at which a run starts.
func (s *startedRuns) start(e *sim.EndedRun) {
	s.running = slices.DeleteFunc(s.running, func(r *sim.EndedRun) bool { return !r.End.After(e.Start) })
	s.running = append(s.running, e)
}

// waits reports whether a job first starts after the moment, or never.
func (s *startedRuns) waits(job int64, now time.Time) bool {
	first := s.firstByJob[job]
	return first == nil || first.Start.After(now)
}

// delays reports whether the run keeps a gang from the nodes that it would have first, if nothing else had started: as
// the jobs that run in truth end.
func (s *startedRuns) delays(e *sim.EndedRun, gang int64) bool {
	first := s.firstByJob[gang]
	if first == nil {
		return false
	}
	nodes := min((first.GPUCount+s.gpusPerNode-1)/s.gpusPerNode, len(s.nodes))
	return s.roomAt(nodes, nil).After(s.roomAt(nodes, e))
}

// roomAt returns when so many nodes are empty, as if one run were not there; zero: now.
func (s *startedRuns) roomAt(nodes int, without *sim.EndedRun) time.Time {
	emptyByNode := map[string]time.Time{}
	for _, e := range s.running {
		for _, n := range e.Nodes {
			if e != without && e.End.After(emptyByNode[n]) {
				emptyByNode[n] = e.End
			}
		}
	}
	times := make([]time.Time, len(s.nodes))
	for i := range s.nodes {
		times[i] = emptyByNode[s.nodes[i].Name]
	}
	slices.SortFunc(times, time.Time.Compare)
	return times[max(nodes, 1)-1]
}
