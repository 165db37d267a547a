// Package themis equalises the ratio ρ of a job's time to completion here to what it
// would be alone on an equal part of the cluster. GPUs are leased; those whose
// lease ended are offered to the jobs with the worst ρ, and an auction divides
// them so that the product of how much better off the bidders are is largest.
// What they leave goes to the others.
//
// K. Mahajan, A. Balasubramanian, A. Singhvi, S. Venkataraman, A. Akella,
// A. Phanishayee, S. Chawla, "Themis: Fair and Efficient GPU Cluster
// Scheduling", NSDI 2020.
//
// In the paper each application bids for itself. Here the bids are made for
// all jobs from the same predictions, so no owner gains by lying but about the
// size of its gang or its limit. A job bids for its gang or nothing. It cannot
// pay with a part of its gang; with Truthful it pays with the end of its lease.
package themis

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/paper"
	"fairbridge/policy/paper/gavel"
	"fairbridge/policy/predict"
)

// Policy is Themis with its parameters.
type Policy struct {
	// Method "lp" is Themis as Gavel and Shockwave's simulator understand it.
	Method   string        `param:"method" choices:"auction,lp" default:"auction" help:"the paper's auction, or fractions of time that make the worst ratio smallest"`
	Fairness float64       `param:"fairness" default:"0.8" max:"1" help:"f: the part 1-f of the jobs with the worst ratio bid first"`
	Lease    time.Duration `param:"lease" default:"20m" min:"1" help:"how long a job holds what it won"`
	Truthful bool          `param:"truthful" help:"winners pay, with the end of their leases, what their taking part costs the others"`
	// Alone is what an equal part means. By GPUs a job is slowed only where there
	// are more jobs than GPUs, which is how results are measured; by jobs, as in
	// the paper, every job could use all GPUs.
	Alone string        `param:"alone" choices:"gpus,jobs" default:"gpus" help:"a job alone on its part would be slowed by jobs for each GPU, or by jobs"`
	Round time.Duration `param:"round" default:"10m" min:"1" help:"lp: how long a turn lasts"`
	paper.PatientLimits
}

// Decide implements policy.Policy.
func (t *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	if t.Method == "lp" {
		return t.decideAsSimulator(s)
	}
	last, err := recallLeases(s)
	if err != nil {
		return nil, fmt.Errorf("policy themis: %w", err)
	}
	stage := &arbiter{Policy: t, lastLeases: last}
	plan, err := engine.Pipeline{
		Name:     "themis",
		Predict:  predict.Ladder{},
		Allocate: stage,
		Backfill: backfill.Greedy{},
		Rules:    t.Rules(),
	}.Decide(s)
	if err != nil {
		return nil, err
	}
	plan.Memo = stage.newLeases(plan).memo()
	return plan, nil
}

// decideAsSimulator is Gavel with the objective of finish-time fairness, which is
// what Gavel and Shockwave's simulator take Themis for.
func (t *Policy) decideAsSimulator(s *policy.Snapshot) (*policy.Plan, error) {
	g := &gavel.Policy{Objective: gavel.ObjectiveFinishTime, Aware: true, Round: t.Round, Recompute: 1000 * time.Second,
		PatientLimits: t.PatientLimits}
	plan, err := g.Decide(s)
	if err != nil {
		return nil, fmt.Errorf("policy themis: %w", err)
	}
	plan.Policy = "themis"
	return plan, nil
}

// System describes Themis in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "themis", Title: "Themis: finish-time fairness by auction", Venue: "NSDI", Year: 2020,
		Cite:         `K. Mahajan et al., "Themis: Fair and Efficient GPU Cluster Scheduling", NSDI 2020`,
		Idea:         "Lease GPUs; offer those that come free to the jobs that are worst off against an equal part of the cluster.",
		OwnStages:    []string{"predict", "order", "lease", "backfill"},
		NeededInputs: []string{"how long a job still runs", "GPU time received"},
		Fallback:     "without predictions what a job received stands for what is left; a new one counts as long as the median of finished jobs, or an hour, so the longest normalised wait goes first",
		Reproduced: "shares and hidden payments of two, three and five equal bidders; method lp: Shockwave's published makespans and average completion times of finish-time fairness within 1 %; worst ratio at most .8 of AlloX's and of the largest throughput's; " +
			"where half of the gangs take 1.6 times as long spread, .23 of the worst ratio under Tiresias (.16 to .38 over 5 seeds; the paper: 1/2.25)",
		Deviations: []string{
			"A job is an application of its own: Slurm shows no group of jobs that are tuned together.",
			"A bid is for the whole gang or nothing, at one speed however the GPUs are spread: no bids by locality.",
			"With alone=jobs, the paper's equal part, its worst ratio is .98 of that under Tiresias there: by that measure every job could use all GPUs, and ratios are measured by GPUs.",
			"Owners do not bid: all bids are made from the same predictions.",
			"What the auction leaves goes first to jobs that run, which then need not stop, then by ρ; the paper draws lots.",
		},
		SimulatorParams: paper.Params{"round": "120s", "lease": "20m", "min_run": "1s", "max_stops": -1, "max_wait": "0s"},
		WorkConserving:  true,
	})
}

// job is one of a round. Times are seconds.
type job struct {
	*engine.Entry
	ageSeconds        float64 // since it arrived
	secondsLeft       float64 // on its gang
	secondsAlone      float64 // from start to end on an equal part of the cluster
	equalPartSlowdown float64 // how many times longer it takes on an equal part than on its gang
	rho               float64 // if it has an equal part from now on
	contentionSeconds float64 // see leases.ContentionSeconds
	leaseEnd          time.Time
	hasLease          bool    // it has a lease in this round
	keptLeaseFraction float64 // of a new lease it may keep after hidden payments
}

// assessJob finds a job's ρ. contention is the mean number of jobs during its life.
func (a *arbiter) assessJob(j *job, contention float64, unknown time.Duration) {
	j.ageSeconds = max(a.now.Sub(j.Arrive).Seconds(), 0)
	j.secondsLeft = j.Estimate().TimeLeft.Seconds()
	if j.Estimate().Source == "" {
		j.secondsLeft = unknown.Seconds()
	}
	j.secondsLeft = max(j.secondsLeft, 1)
	total := j.secondsLeft + j.Ask.GPUs.SecondsForService(j.Attained)
	j.equalPartSlowdown = max(contention, 1)
	if a.Alone == "gpus" {
		j.equalPartSlowdown = max(contention/max(a.clusterGPUCount, 1), 1)
	}
	j.secondsAlone = j.equalPartSlowdown * total
	j.rho = (j.ageSeconds + j.equalPartSlowdown*j.secondsLeft) / j.secondsAlone
}

// logRhoGain is the logarithm of how many times smaller ρ is with the gang from now
// on than with an equal part.
func (j *job) logRhoGain() float64 {
	return math.Log((j.ageSeconds + j.equalPartSlowdown*j.secondsLeft) / (j.ageSeconds + j.secondsLeft))
}

// compare puts the worst ρ first.
func (j *job) compare(o *job) int {
	return engine.ThenArrival(cmp.Compare(o.rho, j.rho), j.Entry, o.Entry)
}

// describe tells the owner how the job stands.
func (j *job) describe() string {
	return fmt.Sprintf("done after %.2f times what it would take alone, at an equal part from now on", j.rho)
}

// leases remembers, per job, until when it holds its GPUs and how many jobs
// there were during its life. It is kept in Plan.Memo, as lists in order of job.
type leases struct {
	At                time.Time      `json:"at"`
	Jobs              []policy.JobID `json:"jobs"`
	LeaseEnds         []time.Time    `json:"until"` // zero: it has no lease
	ContentionSeconds []float64      `json:"crowd"` // number of jobs, times seconds since it arrived
}

func recallLeases(s *policy.Snapshot) (*leases, error) {
	l, err := policy.Recall[*leases](s.Memo)
	if err != nil {
		return nil, err
	}
	if l == nil {
		return &leases{At: s.Now}, nil
	}
	if len(l.Jobs) != len(l.LeaseEnds) || len(l.Jobs) != len(l.ContentionSeconds) || !slices.IsSorted(l.Jobs) {
		return nil, fmt.Errorf("reading what was remembered: %d jobs, %d leases, %d crowds, sorted %t",
			len(l.Jobs), len(l.LeaseEnds), len(l.ContentionSeconds), slices.IsSorted(l.Jobs))
	}
	return l, nil
}

// newLeases returns what to remember: a job that runs on beyond a lease that ended, or
// starts, has a new one.
func (a *arbiter) newLeases(plan *policy.Plan) *leases {
	n := len(a.jobs)
	l := &leases{At: a.now, Jobs: make([]policy.JobID, n), LeaseEnds: make([]time.Time, n), ContentionSeconds: make([]float64, n)}
	for i := range a.jobs {
		j := &a.jobs[i]
		l.Jobs[i], l.ContentionSeconds[i] = j.ID, j.contentionSeconds
		switch plan.Decisions[i].Verb {
		case policy.Keep, policy.Start, policy.Move:
			l.LeaseEnds[i] = j.leaseEnd
			if !j.leaseEnd.After(a.now) {
				l.LeaseEnds[i] = a.now.Add(time.Duration(j.keptLeaseFraction * float64(a.Lease)))
			}
		}
	}
	return l
}

func (l *leases) memo() policy.Memo {
	if len(l.Jobs) == 0 {
		return policy.Memo{}
	}
	return policy.Remember(l)
}
