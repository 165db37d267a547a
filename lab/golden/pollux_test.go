package golden

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"strconv"
	"testing"

	"fairbridge/lab/exact"
	"fairbridge/lab/trace"
	"fairbridge/policy"
	"fairbridge/policy/paper"
	"fairbridge/replica/cluster"
	"fairbridge/replica/measure"
	"fairbridge/scripts/verify/part"
)

// polluxBaselines are the policies of Pollux' simulator that need no chance, as we have them.
var polluxBaselines = []struct {
	theirs, policy string
	params         paper.Params
	mostOff        float64 // how far the mean of a workload of another load may be off, relative
}{
	{"tiresias", "tiresias", paper.Params{"queues": []float64{57600}, "index": "entry", "placement": "emptiest"}, 2e-4},
	{"optimus", "optimus", nil, .02},
}

// polluxRun runs a policy by the clock of Pollux on one of the workloads published with it.
func polluxRun(t *testing.T, p policy.Policy, folder string, workload int) (*measure.Run, *trace.Trace) {
	t.Helper()
	return runPolluxWorkload(t, exact.Config{Policy: p, Clock: exact.PolluxClock()}, folder, workload)
}

// runPolluxWorkload runs one of the workloads published with Pollux on its cluster.
func runPolluxWorkload(t *testing.T, c exact.Config, folder string, workload int) (*measure.Run, *trace.Trace) {
	t.Helper()
	path := here(t, fmt.Sprintf("../pollux/%s/workload-%d.csv", folder, workload))
	tr, err := trace.ReadFile(path, trace.ReadOptions{ProfilesPath: here(t, "../pollux/profiles")})
	if err != nil {
		t.Fatal(err)
	}
	nodes, err := cluster.ParseSpec("16x4:t4")
	if err != nil {
		t.Fatal(err)
	}
	c.Nodes, c.Jobs, c.OmitsReasons = nodes, tr.Jobs, true
	run, err := exact.Run(c)
	if err != nil {
		t.Fatal(err)
	}
	return run, tr
}

// polluxPublished reads a file of results: the last column, by all others.
func polluxPublished(t *testing.T, file string) map[string]float64 {
	t.Helper()
	f, err := os.Open(here(t, "../pollux/results/"+file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]float64{}
	for _, r := range rows[1:] {
		v, err := strconv.ParseFloat(r[len(r)-1], 64)
		if err != nil {
			t.Fatal(err)
		}
		all[fmt.Sprint(r[:len(r)-1])] = v
	}
	return all
}

// TestPollux wants every job of the eight published workloads to complete in the very second in
// which it does in the simulator of Pollux, and workload 6 the mean that was restated.
func TestPollux(t *testing.T) {
	part.Long(t, testing.Short())
	for _, c := range polluxBaselines {
		t.Run(c.theirs, func(t *testing.T) {
			published := polluxPublished(t, "published_job_jct.csv")
			for n := 1; n <= 8; n++ {
				run, tr := polluxRun(t, lookup(t, c.policy, c.params), "workloads", n)
				equal := 0
				for i, o := range run.JobOutcomes {
					want, known := published[fmt.Sprint([]string{c.theirs + "-1.0", fmt.Sprintf("workload-%d", n), tr.Jobs[i].Name})]
					if got := o.Finish - o.Arrive; known && got == want {
						equal++
					} else if i-equal < 3 {
						t.Errorf("workload %d: %s completes after %g s, published %g (%v)", n, tr.Jobs[i].Name, got, want, known)
					}
				}
				t.Logf("workload %d: %d of %d jobs equal, mean %.2f s", n, equal, len(run.JobOutcomes), run.Summarize().AvgJCT)
			}
		})
	}
}

// TestPolluxLoads wants the published means of other loads. The single points of the published
// tables do not cover them: times of steps that no table has are interpolated otherwise than
// there, so some means are off by a little.
func TestPolluxLoads(t *testing.T) {
	part.Only(t, "golden")
	published := polluxPublished(t, "published_avg_jct.csv")
	for _, c := range polluxBaselines {
		for _, load := range []string{"0.5", "1.5", "2.0"} {
			sum, equal, worst := 0.0, 0, 0.0
			for n := 1; n <= 8; n++ {
				run, _ := polluxRun(t, lookup(t, c.policy, c.params), "workloads-"+load, n)
				want := published[fmt.Sprint([]string{"results-jobload", c.theirs + "-" + load, fmt.Sprintf("workload-%d", n)})]
				got := run.Summarize().AvgJCT
				sum += got / 8
				if math.Abs(got-want) < 1e-5 {
					equal++
				}
				worst = max(worst, math.Abs(got/want-1))
				t.Logf("%s, load %s, workload %d: %.5f s, published %.5f", c.theirs, load, n, got, want)
			}
			want := published[fmt.Sprint([]string{"results-jobload", c.theirs + "-" + load, "mean"})]
			if worst > c.mostOff {
				t.Errorf("%s, load %s: the mean of a workload is off by %g, at most %g", c.theirs, load, worst, c.mostOff)
			}
			t.Logf("%s, load %s: mean %.5f s, published %.5f; %d of 8 workloads equal, the worst off by %.2g", c.theirs, load, sum, want, equal, worst)
		}
	}
}
