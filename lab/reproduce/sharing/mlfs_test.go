package sharing

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"fairbridge/lab/exact"
	"fairbridge/lab/generate"
	"fairbridge/policy"
	"fairbridge/policy/paper"
	"fairbridge/replica/measure"
	"fairbridge/replica/workload"
)

// mlfsJobs are 620 jobs of a week: run times of Philly's up to two days, gangs of 1 to 32 GPUs, a deadline for each,
// and a loss that is on its plateau after a random part of the run. Owners of those with earlyEnd let them end there.
func mlfsJobs(seed int64, earlyEnd bool) []workload.Job {
	const week = 7 * 86400.
	r := rand.New(rand.NewPCG(uint64(seed), 6))
	jobs := generate.PhillyDrawer{JobCount: 620, ClusterGPUs: 80, MaxRunSeconds: 2 * 86400}.DrawJobs(seed)
	last := jobs[len(jobs)-1].Arrive
	for i := range jobs {
		j := &jobs[i]
		j.GPUs, j.Arrive = 1<<r.IntN(6), math.Floor(j.Arrive*week/last)
		j.Deadline = j.Arrive + max(1.1*j.Duration, 3600*(.5+23.5*r.Float64()))
		j.Loss = &workload.LossCurve{Floor: .1, Range: 2, Decay: math.Exp(-math.Log(100) / (.3 + .7*r.Float64()))}
		if r.IntN(5) == 0 {
			j.QOS = "high"
		}
		if earlyEnd {
			j.EarlyEnd = &policy.EarlyEnd{AtPlateau: true}
		}
	}
	return jobs
}

func mlfsRun(t *testing.T, jobs []workload.Job, shapes bool, name string, params paper.Params) *measure.Run {
	return simulate(t, exact.Config{Nodes: cluster(20, 4, "v100"), Jobs: jobs, Clock: exact.NewEventClock(time.Minute, 5*time.Minute, 30*time.Second), Policy: system(t, name, params), KeepsNodeShapes: shapes})
}

// met is the part of the jobs of a QOS, of all for "", that met their deadlines.
func met(r *measure.Run, jobs []workload.Job, qos string) float64 {
	n, all := 0.0, 0.0
	for i, o := range r.JobOutcomes {
		if qos != "" && jobs[i].QOS != qos {
			continue
		}
		if all++; o.Finish <= jobs[i].Deadline {
			n++
		}
	}
	return n / all
}

// TestReproduceMLFS: MLF-H against Tiresias, and what letting jobs end on their plateaus gains on top. Its weights
// were found by trying some on other draws, seeds 101 to 103: with the published ones, by which an hour's wait counts as much
// as having 50 minutes left, it is behind Tiresias (.87), and so it is with times made relative to the shortest and the
// longest. Urgency was to raise the part of the deadlines met by .1, and does by .02: nine of ten are met without. mlfs
// knows what jobs have left and Tiresias does not: srtf, which goes by that alone, has .75 to .84 of its mean on those three draws.
func TestReproduceMLFS(t *testing.T) {
	figures := map[string][]float64{}
	note := func(name string, v float64) { figures[name] = append(figures[name], v) }
	jct := func(r *measure.Run) float64 { return r.Summarize().AvgJCT }
	for seed := int64(1); seed <= 7; seed++ {
		jobs := mlfsJobs(seed, false)
		tiresias, mlfs := mlfsRun(t, jobs, false, "tiresias", nil), mlfsRun(t, jobs, false, "mlfs", nil)
		note("tiresias", jct(tiresias)/jct(mlfs))
		note("multifactor", jct(mlfsRun(t, jobs, false, "multifactor", nil))/jct(mlfs))
		note("published weights", jct(tiresias)/jct(mlfsRun(t, jobs, false, "mlfs", paper.Params{"deadline_weight": .3, "wait_weight": .35})))
		note("load control", jct(mlfs)/jct(mlfsRun(t, mlfsJobs(seed, true), false, "mlfs", nil)))
		note("deadlines met", met(mlfs, jobs, "")/met(tiresias, jobs, ""))
		urgent := mlfsRun(t, jobs, false, "mlfs", paper.Params{"urgency": map[string]any{"high": 8}})
		note("deadlines met with urgency", met(urgent, jobs, "high")/met(mlfs, jobs, "high"))
		note("tiresias, gangs on nodes", jct(mlfsRun(t, jobs, true, "tiresias", nil))/jct(mlfsRun(t, jobs, true, "mlfs", nil)))
		note("the same, nearest to ideal", jct(mlfsRun(t, jobs, true, "tiresias", nil))/jct(mlfsRun(t, jobs, true, "mlfs", paper.Params{"placement": "distance"})))
	}
	least := map[string]float64{"tiresias": 1.1, "tiresias, gangs on nodes": 1.1, "the same, nearest to ideal": 1.1, "multifactor": 1.5, "load control": 1.18, "deadlines met": 1.1}
	for _, name := range slices.Sorted(maps.Keys(figures)) {
		m, lo, hi := spread(figures[name])
		t.Logf("%s: %.3f (%.3f to %.3f)", name, m, lo, hi)
		if m < least[name] {
			t.Errorf("%s: %.3f, want at least %g", name, m, least[name])
		}
	}
}
