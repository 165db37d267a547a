// Package gavel computes which fraction of the time each job should run on each type of
// GPU, for one of several objectives, and makes turns of the fractions.
//
// D. Narayanan, K. Santhanam, F. Kazhamiaka, A. Phanishayee, M. Zaharia,
// "Heterogeneity-Aware Cluster Scheduling Policies for Deep Learning
// Workloads", OSDI 2020.
//
// Where many fractions are optimal on GPUs of one type, those are taken where
// an interior-point solver ends (lp.SingleCapacity), as in the published results.
// On several types the rest of the GPU time goes where it brings most progress.
//
// A job that reports no rates is taken to be equally fast on all types it may
// use, with the remaining time that the ladder of predictions gives.
package gavel

import (
	"fmt"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/deadline"
	"fairbridge/policy/engine"
	"fairbridge/policy/pack"
	"fairbridge/policy/paper"
	"fairbridge/policy/predict"
	"fairbridge/policy/rounds"
)

// Policy is Gavel with its parameters.
type Policy struct {
	Objective string `param:"objective" choices:"max-min,makespan,finish-time-fairness,throughput,cost,fifo,sjf,hierarchical" default:"max-min" help:"what the fractions are for"`
	Aware     bool   `param:"aware" default:"true" help:"count how fast each job is on each GPU type; otherwise all types are alike"`
	// Within "fifo" gives the jobs that came first all they can use.
	Within    string             `param:"within" choices:"fairness,fifo" default:"fairness" help:"how an account's share is divided among its jobs, for the hierarchical objective"`
	Costs     map[string]float64 `param:"costs" help:"price of an hour by GPU type, for the cost objective; 1 where not given"`
	Deadlines bool               `param:"deadlines" help:"for throughput and cost: keep the deadlines of jobs, as long as all can be kept"`
	Sharing   bool               `param:"sharing" help:"let two jobs share GPUs where their owners accept it and they report how fast they are beside each other; for max-min, throughput and cost"`
	Round     time.Duration      `param:"round" default:"10m" min:"1" help:"how long a turn lasts"`
	Recompute time.Duration      `param:"recompute" default:"1000s" help:"least time between two computations of the fractions"`
	// Conserve is off in the authors' simulator: such jobs wait there for the next
	// computation.
	Conserve bool `param:"conserve" default:"true" help:"let jobs run where GPUs would idle before they have a fraction"`
	deadline.Rule
	paper.PatientLimits
}

// memo is what is remembered from cycle to cycle.
type memo struct {
	RoundState       rounds.AllocatorState `json:"book"`
	IsolatedProgress isolatedProgress      `json:"alone"`
	Pairs            []pair                `json:"pairs,omitempty"`
}

// Decide implements policy.Policy.
func (g *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	if !g.Deadlines {
		return g.decide(s)
	}
	return g.Rule.Decide(s, g.decide)
}

func (g *Policy) decide(s *policy.Snapshot) (*policy.Plan, error) {
	last, err := policy.Recall[memo](s.Memo)
	if err != nil {
		return nil, fmt.Errorf("policy gavel: %w", err)
	}
	stage := &allocator{Policy: g, isolatedProgress: last.IsolatedProgress, pairs: last.Pairs}
	stage.roundAllocator = rounds.Allocator{RoundLength: g.Round, MinRecomputeInterval: g.Recompute, NewJobsWait: !g.Conserve, Fractions: stage.fractions, State: last.RoundState}
	pipeline := engine.Pipeline{
		Name:     "gavel",
		Predict:  predict.Ladder{},
		Allocate: stage,
		Backfill: backfill.Greedy{},
		Rules:    g.Rules(),
	}
	if g.Sharing {
		pipeline.Pack = pack.BesideAssignedPartner{}
	}
	plan, err := pipeline.Decide(s)
	if err != nil {
		return nil, err
	}
	plan.Memo = policy.Remember(memo{stage.roundAllocator.State, stage.isolatedProgress, stage.pairs})
	return plan, nil
}

// allocator makes rounds of the fractions, for one Decide.
type allocator struct {
	*Policy
	roundAllocator   rounds.Allocator
	isolatedProgress isolatedProgress
	pairs            []pair
}

// Allocate implements engine.Allocator: riders are beside their hosts.
func (a *allocator) Allocate(r *engine.Round) ([]engine.Assignment, error) {
	turns, err := a.roundAllocator.Allocate(r)
	host := map[policy.JobID]policy.JobID{}
	for _, p := range a.pairs {
		host[p.Rider] = p.Host
	}
	for i := range turns {
		turns[i].BesideJob = host[turns[i].Entry.ID]
	}
	return turns, err
}

// fractions is the rounds.FractionsFunc of Gavel.
func (a *allocator) fractions(r *engine.Round, types []string) ([][]float64, error) {
	rows := make([][]float64, len(r.Entries))
	p := newProblem(a.Policy, r, types)
	if a.Objective == ObjectiveFinishTime {
		a.isolatedProgress = a.isolatedProgress.update(p)
		p.isolatedSeconds = a.isolatedProgress.SecondsSpent
	}
	a.pairs = nil
	if len(p.jobs) == 0 {
		return rows, nil
	}
	x, err := a.divideGPUTime(p)
	if err != nil {
		return nil, fmt.Errorf("objective %s for %d jobs on %d types: %w", a.Objective, len(p.jobs), len(types), err)
	}
	for i, j := range p.jobs {
		rows[j.entryIndex] = p.splitKindsIntoTypes(x[i])
	}
	return rows, nil
}

// divideGPUTime returns the fractions by job and kind of GPU.
func (a *allocator) divideGPUTime(p *problem) ([][]float64, error) {
	if a.Sharing {
		x, pairs, ok, err := p.shareGPUs(a.Policy)
		if a.pairs = pairs; ok || err != nil {
			return x, err
		}
	}
	switch a.Objective {
	case objectiveHierarchical:
		return p.waterFill(a.Within)
	case objectiveThroughput, objectiveCost, objectiveFIFO, objectiveSJF:
		return p.maximizeSum(a.Policy)
	}
	if len(p.gpusByKind) == 1 {
		return singleKindProblem{p}.divideFairly(a.Objective), nil
	}
	return p.divideFairly(a.Objective)
}

// Gavel's objectives, as they are written in the configuration.
const (
	objectiveMaxMin       = "max-min"
	objectiveMakespan     = "makespan"
	ObjectiveFinishTime   = "finish-time-fairness"
	objectiveThroughput   = "throughput"
	objectiveCost         = "cost"
	objectiveFIFO         = "fifo"
	objectiveSJF          = "sjf"
	objectiveHierarchical = "hierarchical"
)

// System describes Gavel in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "gavel", Title: "Gavel", Venue: "OSDI", Year: 2020,
		Cite:         `D. Narayanan et al., "Heterogeneity-Aware Cluster Scheduling Policies for Deep Learning Workloads", OSDI 2020`,
		Idea:         "Choose the fraction of time each job runs on each GPU type by an objective, and make turns of the fractions.",
		OwnStages:    []string{"predict", "order", "size", "lease", "pack", "backfill"},
		NeededInputs: []string{"speed by GPU type", "steps left, for makespan and finish-time-fairness", "account weights, for hierarchical"},
		Fallback:     "a job that reports no speeds counts as equally fast on all types, with its predicted remaining time; the objective max-min then equalises GPU time",
		Reproduced:   "the published makespans and average completion times of four objectives on the traces of 120 and 220 jobs; gains of awareness on three GPU types",
		Deviations: []string{
			"The deadline of a job beyond its account's share of the GPUs does not count, unless a deadline budget was granted (deadlines_count=always counts all).",
			"On several GPU types many divisions are optimal; of these, one is taken in which the rest of the time goes where it brings most progress.",
			"GPUs are shared only where jobs report how fast they are beside each other; the paper estimates what was not measured.",
			"With conserve, the default outside simulations, jobs run where GPUs would idle before they have a fraction.",
		},
		SimulatorParams: paper.Params{"deadlines_count": "always", "round": "120s", "recompute": "1000s", "conserve": false, "min_run": "1s", "max_stops": -1, "max_wait": "0s"},
	})
}

// isolatedProgress remembers how long each job would have taken, on an equal part of
// the cluster of its own, for what it has done so far. Parts change with the
// number of jobs, so the time is summed up from one computation to the next.
type isolatedProgress struct {
	Jobs           []policy.JobID `json:"jobs,omitempty"`  // sorted
	SecondsSpent   []float64      `json:"spent,omitempty"` // seconds
	StepsLeft      []float64      `json:"left,omitempty"`  // steps, at the last computation
	StepsPerSecond []float64      `json:"speed,omitempty"` // steps per second alone, then
}

// update returns the record for the jobs of the problem, in their order.
func (a isolatedProgress) update(p *problem) isolatedProgress {
	n := len(p.jobs)
	b := isolatedProgress{make([]policy.JobID, n), make([]float64, n), make([]float64, n), make([]float64, n)}
	for i := range p.jobs {
		j := &p.jobs[i]
		b.Jobs[i], b.StepsLeft[i], b.StepsPerSecond[i] = j.ID, j.stepsLeft, p.isolatedSpeed(j)
		if was, known := slices.BinarySearch(a.Jobs, j.ID); known {
			b.SecondsSpent[i] = a.SecondsSpent[was]
			if a.StepsPerSecond[was] > 0 {
				b.SecondsSpent[i] += (a.StepsLeft[was] - j.stepsLeft) / a.StepsPerSecond[was]
			}
		}
	}
	return b
}

// isolatedSpeed is the job's speed on an equal part of each kind.
func (p *problem) isolatedSpeed(j *job) float64 {
	speed, time := 0.0, 0.0
	for k, c := range p.gpusByKind {
		x := c / float64(len(p.jobs)) / j.gpuCount
		time += x
		speed += x * j.ratesByKind[k]
	}
	return speed / max(time, 1)
}

// isolatedFinishSeconds is when each job would be done alone, in seconds after its
// arrival; at least one.
func (p *problem) isolatedFinishSeconds() []float64 {
	at := make([]float64, len(p.jobs))
	for i := range p.jobs {
		j := &p.jobs[i]
		at[i] = max(p.isolatedSeconds[i]+j.stepsLeft/p.isolatedSpeed(j), 1)
	}
	return at
}
