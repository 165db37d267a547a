// Package apollo sends each job to the GPU type on which it is thought to complete first: it
// counts how long it waits there, how long it runs there, and that it may fail, keeps to that
// plan, and corrects it where it turns out wrong.
//
// E. Boutin, J. Ekanayake, W. Lin, B. Shi, J. Zhou, Z. Qian, M. Wu, L. Zhou, "Apollo: Scalable
// and Coordinated Scheduling for Cloud-Scale Computing", OSDI 2014.
package apollo

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/paper"
	"fairbridge/policy/predict"
)

// Policy is Apollo with its parameters.
type Policy struct {
	Failure  float64       `param:"failure" default:"2" help:"how many times its time a job loses that fails, for the part of a type's GPUs that are found faulty"`
	Slip     time.Duration `param:"slip" default:"10m" min:"1" help:"a plan is corrected where another GPU type would complete the job sooner by more than this and slip_part"`
	SlipPart float64       `param:"slip_part" default:"0.25" help:"by which part of the time until its completion another type must be better, too"`
	Again    time.Duration `param:"again" default:"10m" help:"how long a plan stands before it may be corrected"`
	Sigma    float64       `param:"sigma" default:"0" max:"3" help:"by how many standard errors jobs that run are thought to end later than predicted"`
	paper.MaxWaitParam
}

// Decide implements policy.Policy.
func (p *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	before, err := policy.Recall[memory](s.Memo)
	if err == nil {
		err = before.check()
	}
	if err != nil {
		return nil, fmt.Errorf("policy apollo: reading what was remembered: %w", err)
	}
	a := &planner{Policy: p, before: before}
	plan, err := engine.Pipeline{Name: "apollo", Predict: predict.Ladder{}, Allocate: a, Rules: p.Rules()}.Decide(s)
	if err != nil {
		return nil, err
	}
	plan.Memo = policy.Remember(a.after)
	return plan, nil
}

// System describes Apollo in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "apollo", Title: "Apollo: where a job completes first, by wait, run and risk", Venue: "OSDI", Year: 2014,
		Cite:         `E. Boutin et al., "Apollo: Scalable and Coordinated Scheduling for Cloud-Scale Computing", OSDI 2014`,
		Idea:         "Plan each job for the GPU type on which its wait and its run, together, end first; keep to the plan, and correct it where it slips.",
		OwnStages:    []string{"predict", "order", "lease"},
		NeededInputs: []string{"how long a job will run, from its reports, history or limit", "how fast it is on each GPU type it accepts"},
		Fallback:     "a job of unknown length counts as long as the mean of the others, and types of unknown speed as equally fast",
		Reproduced:   "its worked examples of cost and matching; three GPU types against starting at once anywhere and against the fastest type only: see docs/evaluation.md",
		Deviations: []string{
			"One scheduler plans for GPU types and not for servers: no job queues at a node, a plan is a turn in line, and Slurm has no duplicates to send.",
			"Jobs propose by the loss that their second choice would be, one by one; the paper matches a batch of tasks to servers stably.",
			"The risk of failure is the part of a type's GPUs that were found faulty. A slow node is not avoided.",
			"Waits count GPUs and nodes, no cores or memory: where those lack, a plan slips.",
			"Opportunistic jobs are those whose owners say so, and they run where GPUs are lent; the paper adds such tasks of every job, at random places.",
		},
		MayStarve:       true,
		SimulatorParams: paper.Params{"max_wait": "0s"},
	})
}

// memory are the plans of jobs that wait.
type memory struct {
	Jobs  []policy.JobID `json:"jobs,omitempty"` // sorted
	Plans []plan         `json:"plans,omitempty"`
}

// plan is where a job is to run.
type plan struct {
	GPUType string    `json:"type"`
	Made    time.Time `json:"made"`
	Start   time.Time `json:"start"` // when it was to start, as thought then
}

var errGarbled = errors.New("jobs are not sorted, or plans are not as many")

func (m *memory) check() error {
	if len(m.Jobs) != len(m.Plans) || !slices.IsSorted(m.Jobs) {
		return errGarbled
	}
	return nil
}

// keep notes the plan of a job. Jobs are noted by id.
func (m *memory) keep(id policy.JobID, p plan) {
	m.Jobs, m.Plans = append(m.Jobs, id), append(m.Plans, p)
}

// How many jobs are planned together, and how many in a round: as many as Slurm's backfill tests by
// default. Those behind stand by arrival, without a plan.
const (
	windowJobs  = 64
	plannedJobs = 512
)

// planner is an engine.Allocator: it plans jobs for GPU types, and lets those start whose wait is over.
type planner struct {
	*Policy
	before, after memory
	gpuTypes      []string
	healthyPart   map[string]float64 // of a type's GPUs
	meanLength    time.Duration      // of jobs of known length
	waits         *backfill.Waits
	given         []givenPlan // by entry
}

// givenPlan is what a job is planned for.
type givenPlan struct {
	option
	isPlanned bool
	kept      plan
}

// Allocate implements engine.Allocator: what runs, then jobs by when they are planned to start, then the others
// by arrival.
func (a *planner) Allocate(r *engine.Round) ([]engine.Assignment, error) {
	a.prepare(r)
	line := a.listWaiting(r)
	for len(line) > 0 {
		n := 1 // those with a plan keep their turn
		if line[0].planned < 0 {
			n = min(len(line), windowJobs)
		}
		a.planWindow(r, line[:n])
		line = line[n:]
	}
	turns := make([]engine.Assignment, len(r.Entries))
	for i, e := range r.Entries {
		g := &a.given[i]
		turns[i] = e.AssignmentWithoutLease()
		turns[i].Grant = engine.Grant{HasLease: e.HoldsGPUs() || g.isPlanned, GPUType: g.gpuType}
		if g.isPlanned {
			a.after.keep(e.ID, g.kept)
			turns[i].Note = a.noteFor(r, g)
		}
	}
	slices.SortFunc(turns, func(x, y engine.Assignment) int { return a.compare(x.Entry, y.Entry) })
	return turns, nil
}

func (a *planner) noteFor(r *engine.Round, g *givenPlan) string {
	if r.OmitReasons {
		return ""
	}
	return fmt.Sprintf("planned for %s: %s of wait and %s of run are the least", g.gpuType, policy.FormatDuration(g.wait), policy.FormatDuration(g.run))
}

// compare puts what runs first, then plans by their start, then the others.
func (a *planner) compare(x, y *engine.Entry) int {
	group := func(e *engine.Entry) int {
		switch {
		case e.HoldsGPUs():
			return 0
		case a.given[e.Index].isPlanned:
			return 1
		}
		return 2
	}
	return engine.ThenArrival(cmp.Or(cmp.Compare(group(x), group(y)), cmp.Compare(a.given[x.Index].wait, a.given[y.Index].wait)), x, y)
}

// prepare counts what there is.
func (a *planner) prepare(r *engine.Round) {
	a.gpuTypes, a.healthyPart, a.given = r.GPUTypes(), map[string]float64{}, make([]givenPlan, len(r.Entries))
	all := map[string]int{}
	for i := range r.Nodes {
		for _, d := range r.Nodes[i].GPUs {
			all[d.Type] += d.Count
			a.healthyPart[d.Type] += float64(d.Count - d.SickCount)
		}
	}
	for t, n := range all {
		a.healthyPart[t] /= float64(max(n, 1))
	}
	sum, n := time.Duration(0), time.Duration(0)
	for _, e := range r.Entries {
		if e.Estimate().TimeLeft > 0 {
			sum, n = sum+min(e.Estimate().TimeLeft, farWorse*time.Second/time.Duration(len(r.Entries))), n+1
		}
	}
	if a.meanLength = time.Hour; n > 0 {
		a.meanLength = sum / n
	}
	a.waits = backfill.NewWaits(r, a.runLength)
}

// runLength is how long a job that runs is thought to run on; GPUs that are lent are back in time.
func (a *planner) runLength(r *engine.Round, e *engine.Entry) (time.Duration, bool) {
	switch limit, ok := engine.RunLengthByLimit(r, e); {
	case r.RecallWithin > 0 && e.IsOpportunistic():
		return r.RecallWithin, true
	case e.Estimate().TimeLeft > 0 && ok:
		return min(e.Estimate().TimeLeft+time.Duration(a.Sigma*float64(e.Estimate().TimeLeftSigma)), limit), true
	case e.Estimate().TimeLeft > 0:
		return e.Estimate().TimeLeft + time.Duration(a.Sigma*float64(e.Estimate().TimeLeftSigma)), true
	case ok:
		return limit, true
	}
	return a.meanLength, true
}

// listWaiting returns the jobs to be planned: those that have a plan in the order in which they were to start, then the
// others, first come, first served. Jobs that run on what others leave get no plan.
func (a *planner) listWaiting(r *engine.Round) []*candidate {
	var line []*candidate
	for _, e := range r.Entries {
		if lent := r.RecallWithin > 0 && e.IsOpportunistic(); !e.HoldsGPUs() && r.MayRun(e) && !lent {
			line = append(line, a.newCandidate(r, e))
		}
	}
	slices.SortFunc(line, func(x, y *candidate) int {
		if isNew := x.planned < 0; isNew != (y.planned < 0) || isNew {
			return engine.ThenArrival(cmp.Compare(min(y.planned, 0), min(x.planned, 0)), x.Entry, y.Entry)
		}
		return engine.ThenArrival(x.kept.Start.Compare(y.kept.Start), x.Entry, y.Entry)
	})
	return line[:min(len(line), plannedJobs)]
}
