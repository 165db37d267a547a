package slurmrun

import (
	"cmp"
	"slices"
	"time"

	"fairbridge/bridge/cycle"
	"fairbridge/policy"
	clusterspec "fairbridge/replica/cluster"
	"fairbridge/replica/measure"
	"fairbridge/replica/sim"
)

// planWatch remembers what plans wanted of jobs that wait.
type planWatch struct {
	gangSize   int // GPUs of a node: a job of so many is a gang
	lastByJob  map[int64]wantedStart
	firstGangs []firstGang // by time
}

// wantedStart is what the last plan that saw a job wait wanted of it.
type wantedStart struct {
	verb  policy.Verb
	place int     // in line
	line  []int64 // jobs that wait, by rank, as far as lineLength
	gang  int64   // the first gang of the line, where it stands before the job; 0: none does
}

// lineLength is how many jobs of a line are remembered: a job behind them is not the first that waits.
const lineLength = 32

// firstGang is the gang that stands first in the line from a moment on; 0: none waits.
type firstGang struct {
	at  time.Time
	job int64
}

func newPlanWatch(nodes []policy.Node) planWatch {
	return planWatch{gangSize: max(clusterspec.MaxGPUsPerNode(nodes), 1), lastByJob: map[int64]wantedStart{}}
}

func (w *planWatch) noteCycle(rep *cycle.Report, now time.Time) {
	for i := range rep.PartitionResults {
		if p := &rep.PartitionResults[i]; p.PolicyPlan != nil {
			w.notePlan(p, now)
		}
	}
}

func (w *planWatch) notePlan(p *cycle.PartitionResult, now time.Time) {
	var waiting []*policy.Decision
	gang, gangRank := int64(0), 0
	for i := range p.PolicyPlan.Decisions {
		d := &p.PolicyPlan.Decisions[i]
		if d.Verb != policy.Start && d.Verb != policy.Wait && d.Verb != policy.Hold {
			continue
		}
		waiting = append(waiting, d)
		isGang := p.Snapshot.Jobs[i].Ask.GPUs.Count >= w.gangSize
		if d.Verb != policy.Start && isGang && (gang == 0 || d.Rank < gangRank) {
			gang, gangRank = int64(d.Job), d.Rank
		}
	}
	slices.SortFunc(waiting, func(a, b *policy.Decision) int { return cmp.Compare(a.Rank, b.Rank) })
	line := make([]int64, min(len(waiting), lineLength))
	for i := range line {
		line[i] = int64(waiting[i].Job)
	}
	for i, d := range waiting {
		last := wantedStart{verb: d.Verb, place: i, line: line}
		if d.Rank > gangRank {
			last.gang = gang
		}
		w.lastByJob[int64(d.Job)] = last
	}
	if n := len(w.firstGangs); n == 0 && gang != 0 || n > 0 && w.firstGangs[n-1].job != gang {
		w.firstGangs = append(w.firstGangs, firstGang{now, gang})
	}
}

// firstGangAt is the gang that stood first in the last plan before a moment; 0: none.
func (w *planWatch) firstGangAt(t time.Time) int64 {
	i, _ := slices.BinarySearchFunc(w.firstGangs, t, func(g firstGang, t time.Time) int { return g.at.Compare(t) })
	if i == 0 {
		return 0
	}
	return w.firstGangs[i-1].job
}

// countStarts counts the first starts of jobs by what the last plan before wanted of them.
func (w *planWatch) countStarts(nodes []policy.Node, ended []sim.EndedRun) (n measure.StartCounts) {
	runs := newStartedRuns(nodes, w.gangSize, ended)
	for i := range runs.byStart {
		e := &runs.byStart[i]
		runs.start(e)
		if e.RestartCount > 0 {
			continue
		}
		last, isSeen := w.lastByJob[e.JobID]
		switch {
		case last.verb == policy.Start:
			n.Planned++
			continue
		case !isSeen:
			n.Unseen++
			last.gang = w.firstGangAt(e.Start)
		case last.verb == policy.Hold:
			n.HeldBack++
		default:
			n.NoRoom++
		}
		if isSeen && runs.isFirst(&last, e.Start) {
			n.InOrder++
		}
		if e.ByBackfill {
			n.Backfilled++
		}
		if last.gang != 0 && runs.waits(last.gang, e.Start) {
			n.PastGang++
			if runs.delays(e, last.gang) {
				n.Delaying++
			}
		}
	}
	return n
}

// isFirst reports whether none waits at the moment of those that stood before the job in the line.
func (s *startedRuns) isFirst(w *wantedStart, now time.Time) bool {
	waits := func(job int64) bool { return s.waits(job, now) }
	return w.place < len(w.line) && !slices.ContainsFunc(w.line[:w.place], waits)
}

// startedRuns are the runs of jobs by their start, and those of them that run at a moment, which moves ahead.
type startedRuns struct {
	byStart     []sim.EndedRun
	firstByJob  map[int64]*sim.EndedRun
	nodes       []policy.Node
	gpusPerNode int
	running     []*sim.EndedRun
}

func newStartedRuns(nodes []policy.Node, gpusPerNode int, ended []sim.EndedRun) *startedRuns {
	s := &startedRuns{byStart: slices.Clone(ended), firstByJob: map[int64]*sim.EndedRun{}, nodes: nodes,
		gpusPerNode: gpusPerNode}
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
