package reproduce

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat"

	"fairbridge/lab/exact"
	"fairbridge/lab/generate"
	"fairbridge/policy"
	"fairbridge/policy/paper"
	"fairbridge/replica/measure"
	"fairbridge/replica/workload"
)

// hybrid is 12 GPUs of each of three types.
func hybrid() []policy.Node {
	var nodes []policy.Node
	for _, typ := range []string{"k80", "p100", "v100"} {
		for i := range 3 {
			nodes = append(nodes, policy.Node{Name: fmt.Sprintf("%s-%d", typ, i), Partitions: []string{"gpu"}, CPUs: 64, MemMB: 1 << 20,
				GPUs: []policy.NodeDevices{{Type: typ, Count: 4}}})
		}
	}
	return nodes
}

// alloxJobs are Gavel's single-GPU jobs at a load of .9, as if all GPUs were of the
// fastest type, which they are not: queues are long. Ten users differ
// in what they run, from the shortest tenth of the jobs to the longest.
func alloxJobs(seed int64) []workload.Job {
	jobs := generate.GavelDrawer{JobCount: 400, ClusterGPUs: 36, OfferedLoad: .9, OneGPUEach: true, RunTimeDivisor: 10}.DrawJobs(seed)
	byLength := make([]int, len(jobs))
	for i := range byLength {
		byLength[i] = i
	}
	slices.SortStableFunc(byLength, func(a, b int) int { return cmp.Compare(jobs[a].Duration, jobs[b].Duration) })
	for rank, i := range byLength {
		jobs[i].User = fmt.Sprintf("user%d", rank*10/len(jobs))
	}
	return jobs
}

func alloxRun(t *testing.T, seed int64, name string, params paper.Params) *measure.Run {
	t.Helper()
	return simulate(t, exact.Config{Policy: system(t, name, params), Nodes: hybrid(), Jobs: alloxJobs(seed), SpeedTables: generate.NewSpeedTables(),
		Clock: exact.NewEventClock(time.Second, 0, 0), Seed: seed})
}

// worstUser is the largest mean slowdown of a user: completion time over
// exclusive run time.
func worstUser(r *measure.Run) float64 {
	slow := map[string][]float64{}
	for _, j := range r.JobOutcomes {
		slow[j.User] = append(slow[j.User], (j.Finish-j.Arrive)/j.ExclusiveRunSeconds)
	}
	worst := 0.0
	for _, s := range slow {
		worst = max(worst, stat.Mean(s, nil))
	}
	return worst
}

// TestReproduceAlloX: choosing type and order together beats policies that do
// not know of types, and fairness costs little.
func TestReproduceAlloX(t *testing.T) {
	all := paper.Params{"variant": "paper", "alpha": 1.}
	some := paper.Params{"variant": "paper", "alpha": .3}
	ratio := map[string][]float64{}
	for seed := range int64(5) {
		best := alloxRun(t, seed+1, "allox", all)
		jct := best.Summarize().AvgJCT
		for _, other := range []string{"fifo", "tiresias", "sjf"} {
			ratio[other] = append(ratio[other], jct/alloxRun(t, seed+1, other, nil).Summarize().AvgJCT)
		}
		fair := alloxRun(t, seed+1, "allox", some)
		ratio["fair"] = append(ratio["fair"], fair.Summarize().AvgJCT/jct)
		ratio["user"] = append(ratio["user"], worstUser(fair)/worstUser(best))
	}
	for _, c := range []struct {
		what string
		most float64
	}{{"fifo", .85}, {"tiresias", .85}, {"sjf", 1}, {"fair", 1.25}, {"user", 1}} {
		t.Logf("%s: %.3f of %v", c.what, median(ratio[c.what]), slices.Sorted(slices.Values(ratio[c.what])))
		if m := median(ratio[c.what]); m > c.most {
			t.Errorf("%s: ratio %.3f, want at most %g", c.what, m, c.most)
		}
	}
}
