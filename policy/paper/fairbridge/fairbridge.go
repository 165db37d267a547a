// Package fairbridge is our own: the job that ends soonest goes first, unless another
// has no slack left. Two kinds of job have none. One is urgent: it must run
// from now on to finish by its fair finish, the time it would take on the part of the
// GPUs that is its user's, by weight of accounts and of the users within them. The other is long: it must run from now on,
// or the last of the work that is here now ends later than it need.
//
// Accounts that used less than their share, over the time in which usage
// decays, go before the others, those far below it first; all this holds among
// those that stand alike. So no account that asks for less than is due pays for
// the rest, as under Slurm's fair share. Jobs of any length for which no stop
// could make room get a reservation in time; see waitRules.
//
// The shortest is the one that would be done first if the jobs of each user ran one after the
// other, so that no work gains by being cut into pieces; what jobs report of themselves
// is held against what is known (predict.CheckedReports).
//
// Where run times are learnt and few jobs may be stopped, jobs stand in one line by their expected
// length, weighed against what their account used: see learntOrder. There what jobs of the same name
// that still run tell is heard too (predict.StillRunning).
//
// Jobs whose owners accept neighbours share GPUs where that is known to gain: see packAllocator.
//
// Where jobs offer a range and their speed on other sizes is known, sizes are chosen too, and of the GPU
// types that a job accepts the one: see elasticAllocator.
//
// Short jobs first shortens the average; the fair finish (after Themis, NSDI
// 2020) bounds what that may cost a job; and preemptive schedules of least
// length need no more than that jobs without slack run (R. McNaughton,
// "Scheduling with Deadlines and Loss Functions", Management Science 1959).
package fairbridge

import (
	"fmt"
	"math"

	"fairbridge/policy"
	"fairbridge/policy/colocate"
	"fairbridge/policy/engine"
	"fairbridge/policy/grant"
	"fairbridge/policy/pack"
	"fairbridge/policy/paper"
	"fairbridge/policy/place"
	"fairbridge/policy/predict"
	"fairbridge/policy/scaling"
	"fairbridge/policy/sizing"
)

// Policy is fairbridge with its parameters.
type Policy struct {
	Fair float64 `param:"fair" default:"1" min:"0.1" help:"multiple of its fair finish time by which every job should be done"`
	// Long is below 1 to leave room for wrong predictions.
	Long float64 `param:"long" default:"0.8" max:"2" help:"part of the length of the whole schedule from which on a job is long and runs before short ones; above 1 none is"`
	// Sticky keeps nearly equal jobs from taking turns; 1: it does not.
	Sticky     float64 `param:"sticky" default:"0.8" min:"0.1" max:"1" help:"factor on the remaining time of running jobs in comparisons"`
	Settle     int     `param:"settle" default:"20" min:"1" help:"how many times its restart cost a job runs at least before it is stopped or gets another size, where some job's size is chosen; 20 where none is"`
	Jobs       int     `param:"jobs" default:"2" min:"1" max:"4" help:"how many jobs may share GPUs, where all of them accept as many and are known to gain; 1: no job shares"`
	LeastSpeed float64 `param:"least_speed" default:"0.6" min:"0.01" max:"1" help:"speed, relative to that alone, below which no job is put beside others"`
	Regroup    bool    `param:"regroup" default:"false" help:"jobs that run may move to share GPUs with others, which is a requeue; else only waiting ones join"`
	paper.ShortestByParam
	paper.PatientLimits
}

// Decide implements policy.Policy.
func (f *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	past, err := recallContentionPeaks(s)
	if err != nil {
		return nil, fmt.Errorf("policy fairbridge: %w", err)
	}
	line := &slackOrder{Policy: f, snapshot: s, peaks: past.update(s), hasReports: !past.IsTimeless(s), waitRules: f.newWaitRules(s)}
	reports := predict.NewCheckedReports(past.ReportMemory, s)
	stages := engine.Pipeline{
		Name:     "fairbridge",
		Predict:  predictorFor(reports, s),
		Order:    line,
		Lease:    grant.Fastest{},
		Backfill: line,
		Rules:    line.waitRules.firstOfAll,
	}
	sized := anySized(s)
	switch {
	case sized:
		stages.Rules.MinRunCheckpoints = f.Settle
		stages.Allocate, stages.Place = &elasticAllocator{line: line}, place.OnAssignedDevices{}
	case f.Jobs > 1 && anyPair(s) || f.Regroup && f.By == byService:
		stages.Allocate, stages.Place, stages.Pack = &packAllocator{line}, place.OnAssignedDevices{}, pack.BesideAssignedPartner{}
	}
	plan, err := stages.Decide(s)
	if err != nil {
		return nil, err
	}
	if sized {
		scaling.RecommendBatches(s, plan)
	}
	line.peaks.ReportMemory = reports.Memory()
	if plan.Memo = policy.Remember(line.peaks); !line.hasReports || line.peaks.IsTimeless(s) {
		plan.Memo = policy.RememberTimeless(line.peaks)
	}
	return plan, nil
}

// System describes fairbridge in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "fairbridge", Title: "Shortest first while there is slack: fair finish and schedule length kept", Venue: "ours", Year: 2026,
		Cite:         "fairbridge itself; fair finish after Themis (NSDI 2020), least length after R. McNaughton (Management Science 1959)",
		Idea:         "Accounts below their share first; among equals short jobs first, unless a job must run now to finish by its fair time or so that all is done in time. Jobs that offer a range get the size, and of the GPU types they accept the one, with which the sum of the times until all are done falls fastest, by their own curves. Jobs whose owners accept it share GPUs where what all do is worth more. Where run times are learnt and few jobs may be stopped: by expected length times the root of what the account used of its share.",
		OwnStages:    []string{"predict", "order", "size", "lease", "place", "pack", "backfill"},
		NeededInputs: []string{"remaining time", "account weights and usage", "GPU time received", "speed on other sizes and types (elastic jobs)", "restart cost", "GPU memory, and how much of the time its GPU computes or the stages of a step (to share)"},
		Fallback:     "without any prediction, least attained service first, and the fair finish of a job that runs as long again as it ran; without any usage all accounts stand alike; elastic jobs whose speed on other sizes is not known have what they ask; jobs of which it is not known how they do beside others share with none",
		Reproduced:   "no published system; average JCT below published Pollux on its eight workloads (2,453 s, 2,751 s; at half the load 1,480 s, 1,534 s, at twice 4,133 s, 5,289 s) and below ours of Sia on the first of each of its two sets (1,918 s, 1,957 s; 2,079 s, 2,112 s); on Muri's traces 3 and 3', sharing, below published Muri-S (82,725 s, 85,503 s; 499,650 s, 537,777 s) and alone, with by=service fair=4 long=2 sticky=1, below published SRSF (184,179 s, 185,022 s; 797,440 s, 798,058 s); at or below published Shockwave in makespan, average JCT, worst ρ and unfair share at once on its traces (docs/evaluation.md)",
		Deviations: []string{
			"Not after one paper: ρ is from Themis, least length from McNaughton.",
			"The fair finish counts GPUs, not jobs as ρ is published: who asks for twice the GPUs that are his part is due half the speed, in however many jobs.",
			"A job of one size moves to a faster GPU type only where it reports its speeds, and is otherwise placed on the fastest that is free; one whose size is chosen has another type only where its speed on both is known, by its reports or by data sheets.",
			"Where the size of some job is chosen no job shares GPUs. With the parameters of simulations (SimulatorParams) jobs that run move to other neighbours, up to four share, and none is too slow for that; live they stay, two share, and none is to be below 0.6 of its speed alone.",
			"Alone, and by time, its mean completion on Muri's traces is 1.15 and 1.05 times that of SRSF: for the fair finish, which is not kept by GPU time as above.",
			"Among jobs whose size is chosen the fair finish is not kept: short ones have more, and what an account used counts by a factor for each class.",
			"What work is worth (package flowtime) is exact for jobs that are all there and whose order of ends is known: jobs that come are not foreseen, and the order is that of the GPU time left.",
			"What accounts used counts, not what users within them used.",
		},
		SimulatorParams: paper.Params{"min_run": "1s", "settle": 1, "max_stops": -1, "max_wait": "0s", "jobs": 4, "least_speed": .01, "regroup": true},
	})
}

// byService is the value of paper.ShortestByParam by which GPU time counts.
const byService = "service"

// assumedLeft is how long a job is taken to run on of which nothing is known, in seconds, and leastLeft
// the shortest time that counts.
const (
	assumedLeft = 3600
	leastLeft   = 60
)

// packAllocator lets jobs share GPUs whose owners accept that and of which it is known that both gain. The line
// decides who holds a lease as if no job shared any: each of those runs. What room their packs leave goes to
// those whose work is worth the most: that of a job that needs a second more to be done, in each second, one over
// that; and of an account by as much more as its class of use is lower.
type packAllocator struct{ line *slackOrder }

// anyPair reports whether two jobs accept neighbours and tell how they do beside them.
func anyPair(s *policy.Snapshot) bool {
	n := 0
	for i := range s.Jobs {
		if colocate.IsProfiled(&s.Jobs[i]) {
			n++
		}
	}
	return n > 1
}

// Allocate implements engine.Allocator.
func (a *packAllocator) Allocate(r *engine.Round) ([]engine.Assignment, error) {
	line, err := a.line.Order(r)
	if err != nil {
		return nil, err
	}
	grants, err := grant.Fastest{}.Lease(r, line)
	if err != nil {
		return nil, err
	}
	hasLease := make([]bool, len(r.Entries))
	for i, e := range line {
		hasLease[e.Index] = grants[i].HasLease
	}
	terms := colocate.Terms{Jobs: a.line.Jobs, LeastSpeed: a.line.LeastSpeed, Regroups: a.line.Regroup && colocate.MayRegroup(r)}
	units := colocate.ListUnits(r, line, terms.Regroups, func(e *engine.Entry) bool { return e.IsUnstoppable || grant.CompetesForLease(r, e) })
	for _, u := range units {
		for _, e := range u.Jobs {
			u.HasLease = u.HasLease || hasLease[e.Index]
		}
	}
	c := colocate.Chooser{Terms: terms, Round: r, WorthOf: a.worthOf(r), LeftOf: a.leftOf(r), Budget: grant.CountGrantableDevices(r)}
	var packs [][]*engine.Entry
	for _, p := range c.Choose(units) {
		packs = append(packs, p.Jobs())
	}
	if terms.Regroups {
		return colocate.AssignAnew(r, line, packs), nil
	}
	assignments := colocate.HostsOf(r, packs).Assign(line)
	for i := range assignments {
		if t := &assignments[i]; t.Grant.HasLease {
			t.Grant.GPUType = grants[i].GPUType
		}
	}
	return assignments, nil
}

// worthOf says what a job's work in a second alone is worth.
func (a *packAllocator) worthOf(r *engine.Round) func(*engine.Entry) float64 {
	leftOf := a.leftOf(r)
	return func(e *engine.Entry) float64 {
		return math.Pow(shareClassFactor, -float64(a.line.shareClass(e.Account))) / leftOf(e)
	}
}

// leftOf says in how many seconds a job is done alone.
func (a *packAllocator) leftOf(r *engine.Round) func(*engine.Entry) float64 {
	return func(e *engine.Entry) float64 {
		left := a.line.secondsLeft(r, e)
		if left <= 0 {
			left = max(assumedLeft, e.Ran(r.Now).Seconds())
		}
		return max(left, leastLeft)
	}
}

// elasticAllocator chooses sizes and GPU types where jobs offer a range and tell how fast they go on
// other sizes. The line decides who holds a lease as if every job had what it asks; rigid jobs with a
// lease have it. What is left is shared so that the sum of the times until each job is done falls
// fastest: solve/flowtime says what the work of each is worth for that, and every place is worth to a job as
// much of it as is done there.
type elasticAllocator struct {
	line   *slackOrder
	leases []bool         // of rigid jobs, by Entry.Index
	works  []*elasticWork // by Entry.Index; see ChooseTypes
}

// isSized reports whether the job's size is to be chosen.
func isSized(e *engine.Entry) bool {
	return e.IsElastic() && e.KnowsScaling()
}

// anySized reports whether some job's size is to be chosen.
func anySized(s *policy.Snapshot) bool {
	for i := range s.Jobs {
		if j := &s.Jobs[i]; j.MinGPUs > 0 && isSized(&engine.Entry{Job: j}) {
			return true
		}
	}
	return false
}

// Allocate implements engine.Allocator.
func (a *elasticAllocator) Allocate(r *engine.Round) ([]engine.Assignment, error) {
	for _, e := range r.Entries {
		if isSized(e) {
			e.WantedDeviceCount = e.Ask.GPUs.Count
		}
	}
	line, err := a.line.Order(r)
	if err != nil {
		return nil, err
	}
	grants, err := grant.Fastest{}.Lease(r, line)
	if err != nil {
		return nil, err
	}
	assignments := make([]engine.Assignment, len(r.Entries))
	a.leases = make([]bool, len(r.Entries))
	for i, e := range line {
		t := e.AssignmentWithoutLease()
		if t.Grant = grants[i]; isSized(e) {
			t = sizing.LeastWithoutLease(e)
			t.Grant.HasLease = e.IsUnstoppable
		} else {
			a.leases[e.Index] = grants[i].HasLease
		}
		assignments[e.Index] = t
	}
	sizing.Share(r, assignments, a.takesPart, a)
	for i, e := range line {
		if a.leases[e.Index] && !e.HoldsGPUs() { // one that found no place may still have others give way
			assignments[e.Index].Grant = grants[i]
		}
	}
	ordered := make([]engine.Assignment, len(line))
	for i, e := range line {
		ordered[i] = assignments[e.Index]
	}
	return ordered, nil
}

// takesPart: jobs of one size that run stay as they are. They give way to those with a lease, as where no size is
// chosen, and not to what another size is worth.
func (a *elasticAllocator) takesPart(e *engine.Entry) bool {
	return isSized(e) || !e.HoldsGPUs() && e.DeviceCount() > 0 && e.Ask.GPUs.PartPercent == 0
}
