package experiment

import (
	"fmt"
	"maps"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/lab/generate"
	"fairbridge/policy"
	"fairbridge/replica/cluster"
	"fairbridge/replica/measure"
	"fairbridge/replica/policyset"
	"fairbridge/replica/study"
	"fairbridge/replica/workload"
	"fairbridge/scripts/verify/part"
)

// shortStream are jobs of some seconds that keep 32 GPUs nearly busy for some minutes, most of them of one GPU.
func shortStream(seed uint64, count int, load float64) []workload.Job {
	sizes := []int{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 4, 4, 8, 8, 16}
	seconds, accounts := []float64{5, 8, 12, 16, 20, 28, 40}, []string{"research", "teaching", "vision"}
	r := rand.New(rand.NewPCG(seed, 0))
	jobs, work := make([]workload.Job, count), 0.
	for i := range jobs {
		j := &jobs[i]
		*j = workload.Job{ID: int64(i + 1), Account: accounts[r.IntN(3)], GPUs: sizes[r.IntN(len(sizes))]}
		j.User, j.Duration = fmt.Sprint(j.Account, r.IntN(3)), seconds[r.IntN(len(seconds))]
		j.TimeLimit = time.Duration(j.Duration*[]float64{1.5, 3, 10}[r.IntN(3)]) * time.Second
		work += j.Duration * float64(j.GPUs)
	}
	for i := range jobs {
		jobs[i].Arrive = r.Float64() * work / 32 / load
	}
	slices.SortFunc(jobs, func(a, b workload.Job) int { return int(a.Arrive*1000) - int(b.Arrive*1000) })
	return jobs
}

// sizeWaits are the summed waits of jobs by size class: up to one GPU, 2, 4, 8 ...
func sizeWaits(r *measure.Run) (sum map[int]float64, count map[int]int) {
	sum, count = map[int]float64{}, map[int]int{}
	for _, j := range r.JobOutcomes {
		class := 1 << bits.Len(uint(j.GPUCount-1))
		sum[class] += j.Start - j.Arrive
		count[class]++
	}
	return sum, count
}

// sizeRatios are, by size class, how many times as long its jobs waited as under Slurm alone, a ratio a scenario.
// Beside waits of seconds a round of the loop counts: it is added to both.
type sizeRatios struct {
	ratios map[int][]float64
	jobs   map[int]int
}

func (x *sizeRatios) add(ours, alone *measure.Run, round time.Duration) {
	was, count := sizeWaits(alone)
	is, _ := sizeWaits(ours)
	for class, n := range count {
		extra := round.Seconds() * float64(n)
		x.ratios[class] = append(x.ratios[class], (is[class]+extra)/(was[class]+extra))
		x.jobs[class] += n
	}
}

// sizeLimit is how many times as long as under Slurm alone the jobs of a size may wait in the mean: in the median of
// the scenarios, where these have leastOfSize jobs of it.
const (
	sizeLimit   = 1.25
	leastOfSize = 60
)

// TestNoSizeWaitsMuchLonger: with no user opted in, no size of jobs waits much longer than under Slurm alone, on
// streams of short jobs and on days.
func TestNoSizeWaitsMuchLonger(t *testing.T) {
	part.Long(t, testing.Short())
	streams, days := int64(30), int64(0)
	if part.Runs("studies") {
		streams, days = 90, 12
	}
	nodes, err := cluster.ParseSpec("4x8")
	if err != nil {
		t.Fatal(err)
	}
	for _, site := range []struct {
		name  string
		round time.Duration
		seeds int64
		draw  func(seed int64) (*study.Scenario, error)
	}{
		{"stream", 2 * time.Second, streams, func(seed int64) (*study.Scenario, error) {
			return study.NewScenario(study.Scenario{Name: "stream", Nodes: nodes, Jobs: shortStream(uint64(seed), 160, .95)}, false)
		}},
		{"day", 30 * time.Second, days, func(seed int64) (*study.Scenario, error) {
			return GenerateScenario("day", generate.WorkloadOptions{OfferedLoad: 1, ClusterGPUs: 32}, seed, nodes)
		}},
	} {
		t.Run(site.name, func(t *testing.T) {
			t.Parallel()
			x := sizeRatios{map[int][]float64{}, map[int]int{}}
			for seed := range site.seeds {
				s, err := site.draw(seed)
				if err != nil {
					t.Fatal(err)
				}
				ours, alone := runPlain(t, s, "fairbridge", seed, site.round), runPlain(t, s, "slurm", seed, site.round)
				x.add(ours, alone, site.round)
			}
			x.check(t)
		})
	}
}

// runPlain simulates plain jobs through Slurm: no user is opted in, no job reports.
func runPlain(t *testing.T, s *study.Scenario, name string, seed int64, round time.Duration) *measure.Run {
	t.Helper()
	policies, err := policyset.ParsePolicies(name, false)
	if err != nil {
		t.Fatal(err)
	}
	study.SetStoppableShare(s.Jobs, 0, seed)
	study.NoneReports.SetReports(s.Jobs)
	o := study.RunOptions{ThroughSlurm: true, Seed: seed, LoopConfig: bridge.DefaultConfig()}
	o.LoopConfig.Interval = round
	if err := SetClock(&o, "intervals", round, s); err != nil {
		t.Fatal(err)
	}
	r, err := s.Run(t.Context(), policies[0], o, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (x *sizeRatios) check(t *testing.T) {
	t.Helper()
	for _, class := range slices.Sorted(maps.Keys(x.jobs)) {
		r := slices.Sorted(slices.Values(x.ratios[class]))
		median := r[len(r)/2]
		t.Logf("%s of up to %d GPUs: %.2f of the wait under Slurm alone (%.2f to %.2f)",
			policy.FormatCount(x.jobs[class], "job"), class, median, r[0], r[len(r)-1])
		if median > sizeLimit && x.jobs[class] >= leastOfSize {
			t.Errorf("jobs of up to %d GPUs wait too long: %.2f, want %.2f at most", class, median, sizeLimit)
		}
	}
}
