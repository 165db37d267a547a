package runs

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

func TestUse(t *testing.T) {
	d := fresh(t)
	job := func(id int64, user, qos, gres string, start, end int) slurm.Job {
		return with(running(id, sec(start), sec(start)), func(j *slurm.Job) {
			j.User, j.QOS, j.GresDetail = user, qos, slurm.ReadGRESDetail([]string{gres})
			if end > 0 {
				j.State, j.End, j.GresDetail, j.AllocatedTRES = "COMPLETED", sec(end), nil, slurm.ReadTRES("gres/gpu=2,gres/gpu:"+gres[4:8]+"=2")
			}
		})
	}
	must(t, d.RecordView(t.Context(), view(sec(200_000), job(1, "ann", "high", "gpu:h100:2", 0, 100_000), job(2, "ann", "low", "gpu:a100:2", 150_000, 190_000),
		job(3, "bob", "low", "gpu:a100:1", 160_000, 0))))
	_, err := d.DB.Exec(t.Context(), `insert into fairbridge.gpu_hours (cluster, hour, job, gpu_type, gpus, samples, busy, known) values
		($1, $2, 2, 'a100', 2, 240, 0.5, 240), ($1, $3, 2, 'a100', 2, 120, 0.8, 60)`, testCluster, sec(150_000).Truncate(time.Hour), sec(180_000).Truncate(time.Hour))
	must(t, err)
	of := UsageQuery{Cluster: testCluster, Now: sec(200_000), HalfLife: 50_000 * time.Second, Window: 60_000 * time.Second}
	use := func(f func(*UsageQuery)) []Usage {
		t.Helper()
		o := of
		f(&o)
		list, err := d.Usage(t.Context(), o)
		must(t, err)
		return list
	}
	high, low, bob := closed(2, 0, 100_000, 200_000, 50_000), closed(2, 150_000, 190_000, 200_000, 50_000), closed(1, 160_000, 200_000, 200_000, 50_000)
	same := func(what string, got []Usage, want ...Usage) {
		t.Helper()
		if len(got) != len(want) {
			t.Fatalf("%s: %+v, want %+v", what, got, want)
		}
		near := func(a, b policy.GPUSeconds) bool { return math.Abs(float64(a-b)) < 0.5 }
		for i, w := range want {
			g := got[i]
			if g.User != w.User || g.QOS != w.QOS || g.GPUType != w.GPUType || g.Account != w.Account || !near(g.Decayed, w.Decayed) || !near(g.Allocated, w.Allocated) ||
				!near(g.Measured, w.Measured) || !near(g.Busy, w.Busy) {
				t.Errorf("%s: %+v, want %+v", what, g, w)
			}
		}
	}
	measured, busy := 80_000*300/360.0, 80_000*300/360.0*(0.5*240+0.8*60)/300
	g := func(x float64) policy.GPUSeconds { return policy.GPUSeconds(x) }
	same("all", use(func(*UsageQuery) {}), Usage{Decayed: g(high + low + bob), Allocated: 120_000, Measured: g(measured), Busy: g(busy)})
	same("by user", use(func(o *UsageQuery) { o.SplitsByUser = true }),
		Usage{User: "ann", Decayed: g(high + low), Allocated: 80_000, Measured: g(measured), Busy: g(busy)}, Usage{User: "bob", Decayed: g(bob), Allocated: 40_000})
	same("by QOS and type", use(func(o *UsageQuery) { o.SplitsByQOS, o.SplitsByType = true, true }),
		Usage{QOS: "high", GPUType: "h100", Decayed: g(high)}, Usage{QOS: "low", GPUType: "a100", Decayed: g(low + bob), Allocated: 120_000, Measured: g(measured), Busy: g(busy)})
	same("by account", use(func(o *UsageQuery) { o.SplitsByAccount = true }), Usage{Account: "phys", Decayed: g(high + low + bob), Allocated: 120_000, Measured: g(measured), Busy: g(busy)})
}

// TestUseIsWhatPoliciesSee: sums over types and QOS are what a snapshot says.
func TestUseIsWhatPoliciesSee(t *testing.T) {
	d := fresh(t)
	rapid.Check(t, func(r *rapid.T) {
		_, err := d.DB.Exec(t.Context(), "truncate fairbridge.job_runs, fairbridge.run_segments, fairbridge.watch")
		must(t, err)
		d.oldUsage.sumByCluster = map[string]*usageSum{}
		list := lives.Draw(r, "lives")
		p := rapid.IntRange(0, 900_000).Draw(r, "now")
		must(t, d.RecordView(t.Context(), shown(list, p)))
		past, err := d.Past(t.Context(), testCluster, sec(p))
		must(t, err)
		use, err := d.Usage(t.Context(), UsageQuery{Cluster: testCluster, Now: sec(p), SplitsByUser: true, SplitsByAccount: true})
		must(t, err)
		if len(use) != len(past.Users) {
			r.Fatalf("%d users, the snapshot has %d", len(use), len(past.Users))
		}
		for i, u := range past.Users {
			if w := use[i]; w.User != u.Name || w.Account != u.Account || math.Abs(float64(w.Decayed-u.UsedService)) > 1e-6*float64(u.UsedService)+1e-3 {
				r.Errorf("%+v, the snapshot has %+v", w, u)
			}
		}
		recent := map[string]float64{}
		for _, w := range use {
			recent[w.Account] += float64(w.Allocated)
		}
		for _, a := range past.Accounts {
			if math.Abs(recent[a.Name]-float64(a.RecentService)) > 1e-3 {
				r.Errorf("%s used %g in the last day, the snapshot has %v", a.Name, recent[a.Name], a.RecentService)
			}
		}
	})
}
