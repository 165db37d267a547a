package reproduce

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"fairbridge/lab/exact"
	"fairbridge/lab/generate"
	"fairbridge/policy/paper"
	"fairbridge/replica/workload"
)

// TestReproduceBaselines wants the classic directions on heavy-tailed
// workloads: EASY backfilling below strict order in average completion time,
// shortest remaining time below both. Stops cost it 30 s each, so it may be
// behind shortest job first by a little where few long jobs are in the way.
func TestReproduceBaselines(t *testing.T) {
	const seeds = 5
	philly := func(seed int64) exact.Config {
		return exact.Config{Nodes: cluster(8, 8, "v100"), Jobs: generate.PhillyDrawer{JobCount: 600, ClusterGPUs: 64, MaxRunSeconds: 2 * 86400, OfferedLoad: 1.3}.DrawJobs(seed),
			Clock: exact.NewEventClock(time.Minute, 30*time.Minute, 30*time.Second)}
	}
	gavel := func(seed int64) exact.Config {
		return exact.Config{Nodes: cluster(8, 4, "v100"), Jobs: generate.GavelDrawer{JobCount: 400, ClusterGPUs: 32, OfferedLoad: 1.3, WithoutTraining: true}.DrawJobs(seed),
			Clock: exact.NewEventClock(time.Minute, 30*time.Minute, 30*time.Second)}
	}
	for name, workload := range map[string]func(int64) exact.Config{"philly": philly, "gavel": gavel} {
		t.Run(name, func(t *testing.T) {
			jct := func(policy string, params paper.Params) func(int64) float64 {
				return func(seed int64) float64 {
					c := workload(seed)
					c.Policy = system(t, policy, params)
					return simulate(t, c).Summarize().AvgJCT
				}
			}
			fifo, easy := over(seeds, jct("fifo", paper.Params{"max_wait": "0s"})), over(seeds, jct("easy", nil))
			sjf, srtf := over(seeds, jct("sjf", nil)), over(seeds, jct("srtf", nil))
			t.Logf("average JCT in hours: fifo %.2f, easy %.2f, sjf %.2f, srtf %.2f", fifo/3600, easy/3600, sjf/3600, srtf/3600)
			if easy > .8*fifo {
				t.Errorf("EASY has %.2f of FIFO's average JCT, want at most .8", easy/fifo)
			}
			if srtf > .6*fifo || srtf > .8*easy {
				t.Errorf("SRTF has %.2f of FIFO's average JCT and %.2f of EASY's, want at most .6 and .8", srtf/fifo, srtf/easy)
			}
			if srtf > 1.02*sjf {
				t.Errorf("SRTF has %.2f of SJF's average JCT, want at most 1.02", srtf/sjf)
			}
		})
	}
}

// TestReproduceShortestFirst: with all jobs there at the start and one GPU
// each, no order has a smaller sum of completion times (Smith 1956). All orders
// are tried.
func TestReproduceShortestFirst(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for range 20 {
		jobs, lengths := make([]workload.Job, 6), make([]float64, 6)
		for i := range jobs {
			lengths[i] = float64(60 * (1 + r.IntN(300)))
			jobs[i] = workload.Job{ID: int64(i + 1), GPUs: 1, Duration: lengths[i]}
		}
		run := simulate(t, exact.Config{Nodes: cluster(1, 2, "v100"), Jobs: jobs, Policy: system(t, "sjf", nil), Clock: exact.NewEventClock(0, 0, 0)})
		sum := 0.0
		for _, j := range run.JCTs() {
			sum += j
		}
		if best := least(lengths, [2]float64{}); math.Abs(sum-best) > 1e-6 {
			t.Errorf("%v: sum of completion times %g, the best order has %g", lengths, sum, best)
		}
	}
}

// least returns the smallest sum of completion times over all orders in which
// two machines, busy until the given times, take the jobs as they get free.
func least(left []float64, busy [2]float64) float64 {
	if len(left) == 0 {
		return 0
	}
	next := 0
	if busy[1] < busy[0] {
		next = 1
	}
	best := math.Inf(1)
	for i, length := range left {
		b := busy
		b[next] += length
		rest := append(append([]float64(nil), left[:i]...), left[i+1:]...)
		best = min(best, b[next]+least(rest, b))
	}
	return best
}
