// Package chronus gives jobs the GPUs in leases of a fixed length, and promises a job its deadline only if leases can be
// packed so that this and all promised before are done in time. Best effort fills what is left, the least GPU time first, and
// gives way when a lease ends.
//
// W. Gao, Z. Ye, P. Sun, Y. Wen, T. Zhang, "Chronus: A Novel Deadline-aware Scheduler for Deep Learning Training Jobs", SoCC 2021.
//
// The paper solves an integer programme at the end of each lease. Here plans are packed greedily by several orders
// (package solve/leases, where the gap to all that is possible is measured), kept from lease to lease, and moved to the latest leases that are free.
package chronus

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/admission"
	"fairbridge/policy/backfill"
	"fairbridge/policy/deadline"
	"fairbridge/policy/engine"
	"fairbridge/policy/order"
	"fairbridge/policy/paper"
	"fairbridge/policy/place"
	"fairbridge/policy/predict"
	"fairbridge/policy/preempt"
)

// Policy is Chronus with its parameters.
type Policy struct {
	Lease   time.Duration `param:"lease" default:"20m" min:"60" help:"length of a lease: best effort that runs is stopped for other best effort only when one ends"`
	Slots   int           `param:"slots" default:"4" min:"1" max:"60" help:"equal parts of a lease in which plans are made; 1: whole leases, as published, of which a job not much longer than one fills two"`
	Reserve float64       `param:"reserve" default:"0.3" max:"1" help:"part of the GPUs that a promise to a large job leaves to smaller ones: all of it for a job that takes all GPUs' time of an hour or more"`
	Early   string        `param:"early" choices:"adaptive,most,least" default:"adaptive" help:"when jobs with a promise run ahead of their plans: before best effort (most), only where no best effort waits (least), or before it while more than half of the GPU time until their deadlines is promised"`
	Margin  float64       `param:"margin" default:"0.1" max:"1" help:"part by which a job's time left is stretched in plans where no standard error of it is known; its checkpoint cost comes on top"`
	Sigmas  float64       `param:"sigmas" default:"1" max:"5" help:"standard errors added to a job's time left in plans where they are known"`
	Delay   time.Duration `param:"delay" default:"2m" help:"time that may pass until a start that is due is decided and carried out"`
	deadline.Rule
	paper.Limits
}

// Decide implements policy.Policy.
func (p *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	return p.Rule.Decide(s, p.decide)
}

func (p *Policy) decide(s *policy.Snapshot) (*policy.Plan, error) {
	stage := &stage{Policy: p}
	if err := stage.Recall(s); err != nil {
		return nil, fmt.Errorf("policy chronus: %w", err)
	}
	return stage.Remember(engine.Pipeline{
		Name:     "chronus",
		Predict:  predict.Ladder{},
		Admit:    stage,
		Allocate: stage,
		Place:    place.Consolidated{},
		Backfill: backfill.Greedy{},
		Preempt:  preempt.ByTier(stage.Tier),
		Rules:    p.Rules(),
	}.Decide(s))
}

func (p *Policy) settings() admission.Settings {
	return admission.Settings{Lease: p.Lease / time.Duration(p.Slots), Every: p.Slots, Margin: p.Margin, Sigmas: p.Sigmas, Delay: p.Delay, Reserve: p.Reserve, Rules: p.Rules()}
}

// System describes Chronus in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "chronus", Title: "Chronus: deadlines by leases", Venue: "SoCC", Year: 2021,
		Cite:         `W. Gao, Z. Ye, P. Sun, Y. Wen, T. Zhang, "Chronus: A Novel Deadline-aware Scheduler for Deep Learning Training Jobs", SoCC 2021`,
		Idea:         "Promise a deadline only if leases can be packed so that all promised are met; best effort fills the gaps, the least GPU time first.",
		OwnStages:    []string{"admit", "order", "lease", "preempt", "backfill"},
		NeededInputs: []string{"deadlines", "how long a job still runs"},
		Fallback:     "a job without a deadline, or of which nothing is known, is best effort; of these the one that received least is thought to have least left",
		Reproduced:   "the examples of the rules; on drawn jobs on 64 GPUs, half of them with a deadline, hardly a promise broken, best effort 3.3 times as fast as under EDF and .9 times as under SRTF (medians of 5 seeds); on six windows of its own Philly trace no deadline missed (with reserve=0; five of them with the default), where EDF misses up to 1 %; but where few large jobs fill a small cluster EDF misses fewer, and through a simulated Slurm it misses as many as Slurm alone",
		Deviations: []string{
			"The deadline of a job beyond its account's share of the GPUs does not count, unless a deadline budget was granted (deadlines_count=always counts all).",
			"The integer programme is replaced by greedy packing in four orders and three ways; of drawn small sets that can be met it turns down one in ten thousand, the published order alone one in sixty.",
			"No job is refused: one whose deadline finds no room is best effort, is told by when it could be done, and is tried again at every decision. Soft deadlines with several values are one deadline here.",
			"Plans are made in quarters of a lease, as whole ones hold more than jobs need that are not much longer (slots=1).",
			"A promise to a large job leaves a part of the GPUs to smaller ones (reserve), as else a few that came first keep many from theirs.",
			"A job that is promised its deadline within a lease may take its GPUs from best effort at once; and the last lease of a job may be used in part.",
			"Jobs run on what they ask, not on the next power of two.",
			"Best effort gets no GPUs that plans need before it could be stopped, or, where it may not be stopped, before it ends.",
			"Devices are counted by type, and gangs are placed on as few nodes as can be; the local search of the paper among splits of a gang is not made.",
		},
		MayStarve:       true,
		SimulatorParams: paper.Params{"deadlines_count": "always", "margin": 0, "delay": "1m", "min_run": "1s", "max_stops": -1, "max_wait": "0s"},
	})
}

// stage is one decision.
type stage struct {
	*Policy
	admission.Decision
}

// Allocate implements engine.Allocator: first the jobs that hold the present lease by their plans, then best effort and those that may run
// ahead of their plans. Within a lease those that run go first.
func (s *stage) Allocate(r *engine.Round) ([]engine.Assignment, error) {
	s.Begin(r, s.settings())
	lines := [][]*engine.Entry{s.bestEffort(r), s.Planner.PromisedEntries()}
	if s.runsEarlyFirst() {
		slices.Reverse(lines)
	}
	if !s.Planner.IsNew {
		for _, line := range lines {
			s.Line.AddSpare(slices.DeleteFunc(slices.Clone(line), func(e *engine.Entry) bool { return !e.HoldsGPUs() }))
		}
	}
	for _, line := range lines {
		s.Line.AddSpare(line)
	}
	return s.Line.Assign("jobs that were promised their deadlines, or have less left, take its GPUs"), nil
}

// runsEarlyFirst reports whether jobs with a promise run ahead of their plans before best effort runs.
func (s *stage) runsEarlyFirst() bool {
	return s.Early == "most" || s.Early == "adaptive" && s.Planner.PromisedPart() > .5
}

// standing is a job of best effort with what it goes by.
type standing struct {
	*engine.Entry
	class int     // 1: it lost its promise; 2: others; 3: its deadline cannot be met any more
	left  float64 // GPU-seconds
}

// bestEffort lists the jobs without a promise: those that lost it, then the others, the least GPU time left first; last those whose deadlines cannot be met any more.
func (s *stage) bestEffort(r *engine.Round) []*engine.Entry {
	class := s.classes(r)
	byLength := order.ByLength{UseGPUTime: true}
	var all []standing
	for _, e := range r.Entries {
		if class[e.Index] < 0 {
			continue
		}
		x := standing{e, class[e.Index], byLength.LengthLeft(e)}
		if e.Note == "" && !r.OmitReasons {
			e.Note = fmt.Sprintf("best effort: %v left", policy.GPUSeconds(x.left))
		}
		all = append(all, x)
	}
	slices.SortFunc(all, func(a, b standing) int {
		return engine.ThenArrival(cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(a.left, b.left)), a.Entry, b.Entry)
	})
	line := make([]*engine.Entry, len(all))
	for i := range all {
		line[i] = all[i].Entry
	}
	return line
}

// classes are those of standing, by Entry.Index; -1: promised.
func (s *stage) classes(r *engine.Round) []int {
	class := slices.Repeat([]int{2}, len(r.Entries))
	for _, j := range s.Planner.Promised {
		class[j.Index] = -1
	}
	for _, j := range s.Planner.Declined {
		switch {
		case j.IsLate:
			class[j.Index] = 3
		case j.IsLost:
			class[j.Index] = 1
		}
	}
	return class
}
