package reproduce

import (
	"slices"
	"testing"
	"time"

	"fairbridge/lab/exact"
	"fairbridge/lab/generate"
	"fairbridge/policy"
	"fairbridge/policy/paper"
	"fairbridge/replica/measure"
)

// shared are the jobs of a load and a crowded cluster of one GPU to a node (a
// plan does not say which device of a node a guest gets). The jobs of one GPU
// whose like pair well accept a neighbour: two fifths or so.
func shared(seed int64, load generate.GavelDrawer) exact.Config {
	tables, jobs := generate.NewSpeedTables(), load.DrawJobs(seed)
	for i := range jobs {
		j := &jobs[i]
		alone, _ := tables.StepsAlone("v100", j.Class, 1)
		both, _ := tables.StepsBeside("v100", j.Class, 1, j.Class)
		j.GPUType, j.IsShareable = "v100", j.GPUs == 1 && both > .55*alone
	}
	return exact.Config{Nodes: cluster(32, 1, "v100"), Jobs: jobs, SpeedTables: tables,
		Clock: exact.NewEventClock(5*time.Minute, 10*time.Minute, 10*time.Second)}
}

// under runs a configuration under a policy.
func under(t *testing.T, c exact.Config, name string, given paper.Params) *measure.Run {
	t.Helper()
	c.Policy = system(t, name, given)
	return simulate(t, c)
}

// first returns the 95th percentile of the wait for the first service.
func first(run *measure.Run) float64 {
	var waits []float64
	for _, j := range run.JobOutcomes {
		waits = append(waits, j.Start-j.Arrive)
	}
	slices.Sort(waits)
	return waits[len(waits)*95/100]
}

// done returns the work done in the first hours, in GPU time as if alone.
func done(t *testing.T, c exact.Config, name string, given paper.Params, hours float64) float64 {
	t.Helper()
	sum, over := 0.0, false
	left := map[policy.JobID]float64{}
	for _, j := range c.Jobs {
		left[policy.JobID(j.ID)] = 0
	}
	var start time.Time
	c.WatchDecision = func(s *policy.Snapshot, _ *policy.Plan) {
		if start.IsZero() {
			start = s.Now
		}
		if over || s.Now.Sub(start).Hours() < hours {
			return
		}
		over = true
		for i := range s.Jobs {
			j := &s.Jobs[i]
			rest, _ := j.Training.TimeLeft("v100")
			left[j.ID] = rest.Seconds() * j.Ask.GPUs.WholeGPUs()
		}
	}
	for _, j := range under(t, c, name, given).JobOutcomes {
		sum += j.ExclusiveRunSeconds*float64(j.GPUCount) - left[policy.JobID(j.ID)]
	}
	return sum
}

// TestReproduceGandiva: turns let everybody begin soon, and shorten the average
// where first come, first served lets short jobs wait behind long ones.
func TestReproduceGandiva(t *testing.T) {
	load := generate.GavelDrawer{JobCount: 200, ClusterGPUs: 96, OfferedLoad: .5}
	var jct, wait []float64
	for seed := int64(1); seed <= 5; seed++ {
		c := shared(seed, load)
		fifo, turns := under(t, c, "fifo", nil), under(t, c, "gandiva", nil)
		jct = append(jct, fifo.Summarize().AvgJCT/turns.Summarize().AvgJCT)
		wait = append(wait, first(fifo)/max(first(turns), 60))
	}
	t.Logf("FIFO over Gandiva: average JCT %.2f, p95 of the wait for the first service %.1f", jct, wait)
	if m := median(jct); m < 1.3 {
		t.Errorf("average JCT of FIFO over Gandiva's: %.2f, want 1.3", m)
	}
	if m := median(wait); m < 4 {
		t.Errorf("p95 of the wait for the first service, FIFO over Gandiva: %.2f, want 4", m)
	}
}

// TestReproduceGandivaPairs: sharing gets more work out of the same GPUs, when
// two fifths or so of the jobs leave them idle.
func TestReproduceGandivaPairs(t *testing.T) {
	load := generate.GavelDrawer{JobCount: 200, ClusterGPUs: 96, AllAtStart: true, OneGPUEach: true}
	var gain []float64
	for seed := int64(1); seed <= 5; seed++ {
		c := shared(seed, load)
		gain = append(gain, done(t, c, "gandiva", nil, 12)/done(t, c, "gandiva", paper.Params{"pack": false}, 12))
	}
	t.Logf("work done in twelve hours, with pairs over without: %.2f", gain)
	if m := median(gain); m < 1.15 {
		t.Errorf("work done with pairs over without: %.2f, want 1.15", m)
	}
}
