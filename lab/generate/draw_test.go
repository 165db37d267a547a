package generate_test

import (
	"math"
	"slices"
	"testing"

	"fairbridge/lab/generate"
	"fairbridge/replica/workload"
)

// many jobs make shares exact to a point.
const many = 20_000

// offeredLoad is the GPU time that jobs ask for, as a part of what so many GPUs have between the
// first and the last arrival.
func offeredLoad(jobs []workload.Job, gpus int) float64 {
	sum := 0.0
	for i := range jobs {
		sum += float64(jobs[i].GPUs) * jobs[i].Duration
	}
	return sum / (float64(gpus) * (jobs[len(jobs)-1].Arrive - jobs[0].Arrive))
}

func drawers() map[string]func(seed int64) []workload.Job {
	return map[string]func(int64) []workload.Job{
		"gavel": generate.GavelDrawer{}.DrawJobs, "gavel static": generate.GavelDrawer{AllAtStart: true, WithoutTraining: true}.DrawJobs, "shockwave": generate.ShockwaveDrawer{}.DrawJobs,
		"philly": generate.PhillyDrawer{}.DrawJobs, "tenant": generate.MultiTenantDrawer{}.DrawJobs, "day": generate.DayDrawer{}.DrawJobs, "deadline": generate.DeadlineDrawer{}.DrawJobs,
	}
}

// TestSameSeed wants the same jobs of the same seed, others of another one, and
// jobs that make sense.
func TestSameSeed(t *testing.T) {
	for name, d := range drawers() {
		a, b, c := d(1), d(1), d(2)
		if !slices.EqualFunc(a, b, same) {
			t.Errorf("%s: the same seed gives other jobs", name)
		}
		if slices.EqualFunc(a, c, same) {
			t.Errorf("%s: another seed gives the same jobs", name)
		}
		for i, j := range a {
			if j.ID != int64(i+1) || j.GPUs < 1 || j.Duration < 1 || j.Arrive < 0 || i > 0 && j.Arrive < a[i-1].Arrive {
				t.Errorf("%s: job %d makes no sense: %+v", name, i, j)
			}
		}
	}
}

func same(a, b workload.Job) bool {
	return a.ID == b.ID && a.Arrive == b.Arrive && a.GPUs == b.GPUs && a.Duration == b.Duration && a.User == b.User && a.Class == b.Class
}

func share(jobs []workload.Job, of func(workload.Job) bool) float64 {
	n := 0
	for _, j := range jobs {
		if of(j) {
			n++
		}
	}
	return float64(n) / float64(len(jobs))
}

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > within {
		t.Errorf("%s: %.4g, want %.4g ± %.2g", what, got, want, within)
	}
}

func sizes(t *testing.T, jobs []workload.Job, want map[int]float64) {
	t.Helper()
	for gpus, part := range want {
		near(t, "share of sizes", share(jobs, func(j workload.Job) bool { return j.GPUs == gpus }), part, .01)
	}
}

func quantile(jobs []workload.Job, q float64) float64 {
	var all []float64
	for _, j := range jobs {
		all = append(all, j.Duration)
	}
	slices.Sort(all)
	return all[int(q*float64(len(all)-1))]
}

func TestGavelStatistics(t *testing.T) {
	jobs := generate.GavelDrawer{JobCount: many, OfferedLoad: .8}.DrawJobs(1)
	sizes(t, jobs, map[int]float64{1: .70, 2: .10, 4: .15, 8: .05})
	// 80 % of u lie evenly in 1.5…3, so half of all durations are below u = 2.4375.
	near(t, "log10 of the median in minutes", math.Log10(quantile(jobs, .5)/60), 2.4375, .02)
	near(t, "share above 1000 minutes", share(jobs, func(j workload.Job) bool { return j.Duration > 60_000 }), .2, .01)
	near(t, "load", offeredLoad(jobs, 108), .8, .03)
	if rate := (generate.GavelDrawer{JobCount: many, JobsPerHour: 6}).DrawJobs(1); true {
		near(t, "jobs an hour", many/(rate[many-1].Arrive/3600), 6, .15)
	}
	for _, j := range (generate.GavelDrawer{AllAtStart: true, OneGPUEach: true}).DrawJobs(1) {
		if j.Arrive != 0 || j.GPUs != 1 {
			t.Fatalf("a static workload of single GPUs has %+v", j)
		}
	}
}

func TestShockwaveStatistics(t *testing.T) {
	jobs := generate.ShockwaveDrawer{JobCount: many}.DrawJobs(1)
	sizes(t, jobs, map[int]float64{1: .60, 2: .30, 4: .09, 8: .01})
	near(t, "shortest", quantile(jobs, 0), .2*3600, 30)
	near(t, "longest", quantile(jobs, 1), 5*3600, 300)
	near(t, "median", quantile(jobs, .5), 3250, 250)
	near(t, "gap", jobs[many-1].Arrive/many, 40, 1)
	near(t, "accordion", share(jobs, func(j workload.Job) bool { return j.Training.Mode == workload.AccordionMode }), .5, .02)
	near(t, "static", share(jobs, func(j workload.Job) bool { return j.Training.Mode == workload.StaticMode }), 0, 0)
	if n := len(generate.ShockwaveDrawer{}.DrawJobs(1)); n != 120 {
		t.Errorf("%d jobs by default, want 120", n)
	}
}

func TestPhillyStatistics(t *testing.T) {
	p := generate.PhillyDrawer{JobCount: many, ClusterGPUs: 2048, MaxRunSeconds: 50 * 86400}
	jobs := p.DrawJobs(1)
	sizes(t, jobs, map[int]float64{1: .923, 2: .007, 4: .038, 8: .029, 16: .0034})
	for at, part := range map[float64]float64{64: .133, 512: .34, 2048: .58, 8192: .80, 65536: .93, 524288: .988} {
		near(t, "run times below", share(jobs, func(j workload.Job) bool { return j.Duration <= at }), part, .03)
	}
	near(t, "load", offeredLoad(jobs, 2048), .85, .02)
	if n := len(p.DrawAccounts(1)); n != 14 {
		t.Errorf("%d accounts", n)
	}
}

func TestTenantStatistics(t *testing.T) {
	jobs := generate.MultiTenantDrawer{}.DrawJobs(1)
	work := map[string]float64{}
	for _, j := range jobs {
		work[j.Account] += float64(j.GPUs) * j.Duration
	}
	all := 64 * 48 * 3600.0
	near(t, "flood", work["lab01"]/all, .8, .05)
	near(t, "part of lab02", work["lab02"]/all, .6*4/17, .05) // weights 4 2 1 2 1 4 2
	near(t, "bursts", share(jobs, func(j workJob) bool { return j.Account == "lab01" && int(j.Arrive)%43200 < 21_600 }), 0, 0)
}

type workJob = workload.Job

// TestTables wants speeds that make sense: for every job drawn, on every type,
// slower on older ones, and less beside a neighbour.
func TestTables(t *testing.T) {
	tables := generate.NewSpeedTables()
	for _, j := range (generate.GavelDrawer{JobCount: 300}).DrawJobs(1) {
		var last float64 = math.Inf(1)
		for _, typ := range []string{"v100", "p100", "k80"} {
			v, ok := tables.StepsAlone(typ, j.Class, j.GPUs)
			if !ok || v <= 0 || v >= last {
				t.Fatalf("%s with %d GPUs on %s: %g steps per second, %v; the faster type had %g", j.Class, j.GPUs, typ, v, ok, last)
			}
			last = v
			for _, other := range tables.Neighbours(typ, j.Class, 1) {
				alone, _ := tables.StepsAlone(typ, j.Class, 1)
				if both, _ := tables.StepsBeside(typ, j.Class, 1, other); both >= alone {
					t.Fatalf("%s is not slower beside %s", j.Class, other)
				}
			}
		}
		v, _ := tables.StepsAlone("v100", j.Class, j.GPUs)
		near(t, "steps by duration", float64(j.Training.Steps)/v/j.Duration, 1, .01)
	}
}
