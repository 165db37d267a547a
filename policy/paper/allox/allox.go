// Package allox chooses the GPU type and the order of jobs together: it matches jobs to
// places counted from the end of the queues of all machines so that the sum of
// completion times is least, among the jobs of the least served users.
//
// T. N. Le, X. Sun, M. Chowdhury, Z. Liu, "AlloX: Compute Allocation in Hybrid
// Clusters", EuroSys 2020.
//
// No job that runs is stopped. The paper's jobs take one GPU; here a gang takes
// the time of as many machines from those behind it.
package allox

import (
	"fmt"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/paper"
	"fairbridge/policy/pool"
	"fairbridge/policy/predict"
	"fairbridge/policy/rounds"
	"fairbridge/policy/solve/assign"
)

// Policy is AlloX with its parameters.
type Policy struct {
	Alpha   float64       `param:"alpha" default:"0.3" max:"1" help:"fraction of users, the least served first, whose jobs compete; 1: all of them"`
	Variant string        `param:"variant" choices:"paper,harness" default:"paper" help:"harness: fractions of rounds as in Shockwave's simulator, the oldest jobs first"`
	Reserve time.Duration `param:"reserve" default:"1h" help:"wait after which the first blocked gang gets a reservation; 0s: none"`
	// MinRun and MaxStops matter to the harness only: otherwise no job is stopped.
	paper.PatientLimits
}

// maxMatchingSteps bounds one matching to about half a second.
const maxMatchingSteps = 3e7

// Decide implements policy.Policy.
func (a *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	if a.Variant == "harness" {
		return a.decideAsSimulator(s)
	}
	return engine.Pipeline{
		Name:     "allox",
		Predict:  predict.Ladder{},
		Allocate: matchingAllocator{a},
		Backfill: backfill.ReserveAfter(a.Reserve),
		Rules:    a.Rules(),
	}.Decide(s)
}

// System describes AlloX in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "allox", Title: "AlloX", Venue: "EuroSys", Year: 2020,
		Cite:         `T. N. Le et al., "AlloX: Compute Allocation in Hybrid Clusters", EuroSys 2020`,
		Idea:         "Match jobs to places in the queues of all GPU types so that the sum of completion times is least.",
		OwnStages:    []string{"predict", "order", "lease", "backfill"},
		NeededInputs: []string{"remaining time on each GPU type", "service of users"},
		Fallback:     "a job that reports no speeds goes equally fast on all types; one of unknown length counts as the mean of the others",
		Reproduced:   "a worked example of matching (three jobs, completion times of 8 hours together); shortest first on one type; all figures of Shockwave's simulator with variant harness, to the last digit",
		Deviations: []string{
			"A gang takes the time of as many machines; the paper's jobs take one GPU.",
			"No profiling runs: speeds by type are those that jobs report, and a job that reports none counts as equally fast everywhere.",
			"A blocked gang gets a reservation after the time reserve, which jobs of one GPU do not need.",
		},
		SimulatorParams: paper.Params{"variant": "harness", "alpha": 0.2, "min_run": "1s", "max_stops": -1, "max_wait": "0s",
			"reserve": "0s"},
	})
}

// decideAsSimulator is AlloX as Shockwave's simulator runs it, on Gavel's rounds: of the
// jobs that did not win before, the oldest, a fraction alpha but at least one
// per machine, are matched to the machines that no winner of one GPU has. The
// first on each machine wins the fraction 1/GPUs of the time. A winner of one
// GPU keeps its machine until it ends; others keep their fraction and are
// matched again. The others run only where GPUs would idle, and jobs that arrived
// since the last matching not even there.
func (a *Policy) decideAsSimulator(s *policy.Snapshot) (*policy.Plan, error) {
	state, err := policy.Recall[rounds.AllocatorState](s.Memo)
	if err != nil {
		return nil, fmt.Errorf("policy allox: %w", err)
	}
	stage := rounds.Allocator{RoundLength: 2 * time.Minute, MinRecomputeInterval: 1000 * time.Second, NewJobsWait: true, State: state}
	stage.Fractions = func(r *engine.Round, types []string) ([][]float64, error) {
		return a.simulatorFractions(newCluster(r), stage.State.Fractions), nil
	}
	plan, err := engine.Pipeline{
		Name:     "allox",
		Predict:  predict.Ladder{},
		Allocate: &stage,
		Backfill: backfill.Greedy{},
		Rules:    a.Rules(),
	}.Decide(s)
	if err != nil {
		return nil, err
	}
	plan.Memo = policy.Remember(stage.State)
	return plan, nil
}

// simulatorFractions returns the fractions by job and type; before are those of last time.
func (a *Policy) simulatorFractions(c *cluster, before []float64) [][]float64 {
	width := len(c.gpuTypes)
	x := make([][]float64, len(c.Entries))
	count := c.countMachinesByType()
	var waiting []int
	for i, e := range c.Entries {
		x[i] = slices.Clone(before[i*width : (i+1)*width])
		sum := 0.0
		for k, f := range x[i] {
			x[i][k] = max(f, 0) // negative: it was not there last time
			sum += x[i][k]
			if f == 1 {
				count[k]--
			}
		}
		if sum != 1 && c.MayRun(e) && c.canRunSomewhere(e) {
			waiting = append(waiting, i)
		}
	}
	var machines []int
	for k, n := range count {
		machines = append(machines, slices.Repeat([]int{k}, max(n, 0))...)
	}
	if len(machines) == 0 {
		return x
	}
	slices.SortStableFunc(waiting, func(i, j int) int { return c.Entries[i].Arrive.Compare(c.Entries[j].Arrive) })
	waiting = waiting[:min(max(int(a.Alpha*float64(len(waiting))), len(machines)), len(waiting))]
	times := make([][]float64, len(waiting))
	for k, i := range waiting {
		times[k] = slices.Clone(c.processingSeconds(c.Entries[i]))
		for t := range times[k] {
			times[k][t] = min(times[k][t], 1e15) // a very long time where it cannot run
		}
	}
	for m, k := range firstJobByMachine(assign.AssignToMachines(times, machines), len(machines)) {
		if k >= 0 {
			x[waiting[k]][machines[m]] = 1 / float64(max(c.Entries[waiting[k]].Ask.GPUs.Count, 1))
		}
	}
	return x
}

// countMachinesByType counts the healthy GPUs by type, those of nodes that are only set
// aside too.
func (c *cluster) countMachinesByType() []int {
	empty, count := pool.NewEmpty(c.Nodes, time.Time{}), make([]int, len(c.gpuTypes))
	for k, name := range c.gpuTypes {
		count[k] = empty.TotalFree(name)
	}
	return count
}

// firstJobByMachine returns, by machine, the job that runs first there; -1: none.
func firstJobByMachine(places []assign.Position, machines int) []int {
	first := slices.Repeat([]int{-1}, machines)
	for i, p := range places {
		if k := first[p.Group]; k < 0 || places[k].FromEnd < p.FromEnd {
			first[p.Group] = i
		}
	}
	return first
}
