package generate_test

import (
	"maps"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"fairbridge/lab/generate"
	"fairbridge/replica/workload"
)

// helios is a long time of a large cluster, where statistics show.
func helios() generate.DayDrawer {
	return generate.DayDrawer{ClusterGPUs: 6220, DayCount: 14, UserCount: 300, AccountCount: 20, MaxRunTime: 50 * 24 * time.Hour}
}

// heliosDraws are three of them together: what few users do now and then makes
// a single one uncertain.
var heliosDraws = sync.OnceValue(func() (all [3][]workload.Job) {
	for seed := range all {
		all[seed] = helios().DrawJobs(int64(seed))
	}
	return all
})

func TestDayStatistics(t *testing.T) {
	near(t, "load", offeredLoad(heliosDraws()[0], 6220), .85, .02)
	draws := heliosDraws()
	jobs := slices.Concat(draws[:]...)
	t.Logf("%d jobs", len(jobs))
	for at, part := range map[float64]float64{4: .063, 64: .25, 128: .38, 256: .57, 512: .68, 2048: .84, 8192: .908, 65536: .978} {
		near(t, "run times below", share(jobs, func(j workload.Job) bool { return j.Duration <= at }), part, .05)
	}
	near(t, "completed", share(jobs, func(j workload.Job) bool { return j.End == workload.Completed }), .624, .03)
	near(t, "cancelled", share(jobs, func(j workload.Job) bool { return j.End == workload.Cancelled }), .221, .03)
	near(t, "failed", share(jobs, func(j workload.Job) bool { return j.End == workload.Failed }), .155, .03)
	near(t, "stoppable", share(jobs, func(j workload.Job) bool { return !j.IsUnstoppable }), .5, .03)
	near(t, "all the time there is", share(jobs, func(j workload.Job) bool { return j.TimeLimit == 50*24*time.Hour }), .4, .02)
	if n := slices.IndexFunc(jobs, func(j workload.Job) bool { return j.TimeLimit.Seconds() < j.Duration }); n >= 0 {
		t.Errorf("job %+v runs longer than it may", jobs[n])
	}
}

func TestDaySizes(t *testing.T) {
	draws := heliosDraws()
	jobs := slices.Concat(draws[:]...)
	sizeShares, sizeWork := map[int]float64{}, map[int]float64{}
	all := 0.0
	for _, j := range jobs {
		sizeShares[j.GPUs] += 1 / float64(len(jobs))
		sizeWork[j.GPUs] += float64(j.GPUs) * j.Duration
		all += float64(j.GPUs) * j.Duration
	}
	for gpus, want := range map[int][2]float64{1: {.722, .055}, 2: {.026, .017}, 4: {.057, .05}, 8: {.142, .292}, 16: {.03, .202}, 32: {.017, .251}, 64: {.003, .077}, 128: {.003, .056}} {
		near(t, "share of jobs by size", sizeShares[gpus], want[0], .02)
		near(t, "share of GPU time by size", sizeWork[gpus]/all, want[1], .05)
	}
}

// TestDayPeople compares who does how much of it with the four clusters.
func TestDayPeople(t *testing.T) {
	tops := map[int]float64{} // by number of users
	for _, jobs := range heliosDraws() {
		by := map[string]float64{}
		all := 0.0
		for _, j := range jobs {
			by[j.User] += float64(j.GPUs) * j.Duration
			all += float64(j.GPUs) * j.Duration
		}
		each := slices.Sorted(maps.Values(by))
		slices.Reverse(each)
		for i, v := range each {
			for _, n := range []int{3, 15, 30, 60} {
				if i < n {
					tops[n] += v / all / 3
				}
			}
		}
	}
	near(t, "GPU time of the 1 % most active users", tops[3], (.20+.35)/2, .06+.15/2)
	near(t, "GPU time of the 5 % most active users", tops[15], (.44+.61)/2, .06+.17/2)
	near(t, "GPU time of the 10 % most active users", tops[30], (.65+.77)/2, .06+.12/2)
	near(t, "GPU time of the 20 % most active users", tops[60], (.83+.90)/2, .06+.07/2)
}

// TestDayHours wants submissions to follow the hours of the day.
func TestDayHours(t *testing.T) {
	want := []float64{.90, .84, .68, .60, .56, .56, .55, .51, .56, .82, 1.12, 1.24, 1.20, 1.22, 1.33, 1.43, 1.49, 1.33, 1.10, 1.20, 1.31, 1.23, 1.14, 1.09}
	got := make([]float64, 24)
	weekend := 0.0
	draws := heliosDraws()
	jobs := slices.Concat(draws[:]...)
	for _, j := range jobs {
		got[int(j.Arrive/3600)%24]++
		if int(j.Arrive/86400)%7 >= 5 {
			weekend++
		}
	}
	if c := correlation(want, got); c < .98 {
		t.Errorf("hourly submissions correlate by %.3f: %v", c, got)
	}
	near(t, "part of the weekend", weekend/float64(len(jobs)), 2*.75/(2*.75+5*1.1), .01)
}

func correlation(a, b []float64) float64 {
	var ma, mb, ab, aa, bb float64
	for i := range a {
		ma += a[i] / float64(len(a))
		mb += b[i] / float64(len(b))
	}
	for i := range a {
		ab += (a[i] - ma) * (b[i] - mb)
		aa += (a[i] - ma) * (a[i] - ma)
		bb += (b[i] - mb) * (b[i] - mb)
	}
	return ab / math.Sqrt(aa*bb)
}

// TestDayRepeats wants run times to be foretold by what the user ran before
// under the name: three quarters of the variance of their logarithms.
func TestDayRepeats(t *testing.T) {
	type kind struct {
		user, name string
		gpus       int
	}
	byKind := map[kind][]float64{}
	var all []float64
	for _, j := range heliosDraws()[0] {
		k := kind{j.User, j.Name, j.GPUs}
		if len(byKind[k]) < 20 { // one that runs all the time is not everything
			byKind[k] = append(byKind[k], math.Log(j.Duration))
			all = append(all, math.Log(j.Duration))
		}
	}
	inside := 0.0
	for _, v := range byKind {
		inside += variance(v) * float64(len(v))
	}
	near(t, "variance explained", 1-inside/(variance(all)*float64(len(all))), .77, .08)
}

func variance(v []float64) float64 {
	m, s := 0.0, 0.0
	for _, x := range v {
		m += x / float64(len(v))
	}
	for _, x := range v {
		s += (x - m) * (x - m) / float64(len(v))
	}
	return s
}

func TestDaySmall(t *testing.T) {
	for seed := range int64(5) {
		jobs := generate.DayDrawer{}.DrawJobs(seed)
		work := 0.0
		for _, j := range jobs {
			work += float64(j.GPUs) * j.Duration
			if j.GPUs > 32 {
				t.Errorf("a job of %d GPUs on a cluster of 64", j.GPUs)
			}
		}
		near(t, "load of a day of 64 GPUs", work/(64*86400), .85, .03)
	}
}

func TestDeadlines(t *testing.T) {
	d := generate.DeadlineDrawer{GavelDrawer: generate.GavelDrawer{JobCount: 5000}, BestEffortShare: .2}
	jobs := d.DrawJobs(1)
	near(t, "best effort", share(jobs, func(j workload.Job) bool { return j.Deadline == 0 }), .2, .02)
	low, high := math.Inf(1), 0.0
	for _, j := range jobs {
		if j.Deadline > 0 {
			slack := (j.Deadline - j.Arrive) / j.Duration
			low, high = min(low, slack), max(high, slack)
		}
	}
	near(t, "tightest", low, .5, .01)
	near(t, "loosest", high, 1.5, .01)
}

func TestMake(t *testing.T) {
	for _, k := range generate.ListKinds() {
		m, err := generate.DrawWorkload(k.Name, generate.WorkloadOptions{ClusterGPUs: 32}, 1)
		if err != nil || len(m.Jobs) == 0 {
			t.Errorf("%s: %v", k.Name, err)
		}
	}
	for _, w := range []generate.WorkloadOptions{{JobCount: -1}, {OfferedLoad: math.Inf(1)}, {OfferedLoad: math.NaN()}, {ProfileName: "mars"}} {
		if _, err := generate.DrawWorkload("day", w, 1); err == nil {
			t.Errorf("%+v is fine", w)
		}
	}
	if _, err := generate.DrawWorkload("days", generate.WorkloadOptions{}, 1); err == nil {
		t.Error("a kind of days")
	}
}
