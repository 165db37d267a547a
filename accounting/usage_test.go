package accounting

import (
	"cmp"
	"fmt"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// Random histories, recorded poll by poll as Slurm would show them, must give
// the decayed use that their closed form gives.
func TestDecayedUsageEqualsClosedForm(t *testing.T) {
	d := fresh(t)
	ctx := t.Context()
	rapid.Check(t, func(r *rapid.T) {
		_, err := d.pool.Exec(ctx, "truncate fairbridge.run_segments, fairbridge.job_runs, fairbridge.watch")
		must(t, err)
		d.halfLife = time.Duration(rapid.IntRange(60, 1e6).Draw(r, "half-life")) * time.Second
		type life struct{ user, gpus, start, end int }
		lives := rapid.SliceOfN(rapid.Custom(func(r *rapid.T) life {
			start := rapid.IntRange(0, 5000).Draw(r, "start")
			return life{rapid.IntRange(0, 2).Draw(r, "user"), rapid.IntRange(1, 16).Draw(r, "gpus"), start, start + rapid.IntRange(1, 4000).Draw(r, "length")}
		}), 1, 12).Draw(r, "jobs")
		polls := rapid.SliceOfN(rapid.IntRange(0, 9000), 1, 6).Draw(r, "polls")
		now := 0
		for _, p := range polls {
			now = max(now, p)
		}
		for _, p := range append(sorted(polls), now) {
			var jobs []slurm.Job
			for i, l := range lives {
				if l.start > p {
					continue
				}
				j := running(int64(i+1), sec(l.start), sec(l.start))
				j.User, j.Account = fmt.Sprint("u", l.user), fmt.Sprint("a", l.user%2)
				j.Gres = []string{fmt.Sprintf("gpu:a100:%d", l.gpus)}
				if l.end <= p {
					j.State, j.End, j.Gres, j.Allocated = "COMPLETED", sec(l.end), nil, fmt.Sprintf("gres/gpu=%d,gres/gpu:a100=%[1]d", l.gpus)
				}
				jobs = append(jobs, j)
			}
			if err := d.Record(ctx, view(sec(p), jobs...)); err != nil {
				r.Fatal(err)
			}
		}
		past, err := d.Past(ctx, testCluster, sec(now))
		if err != nil {
			r.Fatal(err)
		}
		want := map[string]float64{}
		for _, l := range lives {
			if l.start < now {
				use := closed(float64(l.gpus), float64(l.start), float64(min(l.end, now)), float64(now), d.halfLife.Seconds())
				want[fmt.Sprint("u", l.user)] += use
				want[fmt.Sprint("a", l.user%2)] += use
			}
		}
		got := map[string]float64{}
		for _, u := range past.Users {
			got[u.Name] += float64(u.Used)
		}
		for _, a := range past.Accounts {
			got[a.Name] += float64(a.Used)
		}
		for name, w := range want {
			if math.Abs(got[name]-w) > 1e-6*w+1e-6 {
				r.Errorf("%s used %v, want %v", name, got[name], w)
			}
		}
		if len(got) > len(want) {
			r.Errorf("used %v, want only %v", got, want)
		}
	})
}

func sorted(list []int) []int {
	out := append([]int(nil), list...)
	for i := range out {
		for j := i; j > 0 && cmp.Less(out[j], out[j-1]); j-- {
			out[j], out[j-1] = out[j-1], out[j]
		}
	}
	return out
}

func TestEntitlements(t *testing.T) {
	d := fresh(t)
	ctx := t.Context()
	must(t, d.SetAccounts(ctx, testCluster, []policy.Account{{Name: "phys", Weight: 3, Parent: "root"}, {Name: "old", Weight: 1}}))
	must(t, d.SetAccounts(ctx, testCluster, []policy.Account{{Name: "phys", Weight: 2, Parent: "root"}, {Name: "bio", Weight: 0}}))
	must(t, d.Record(ctx, view(sec(20), running(1, t0, sec(10)))))
	p, err := d.Past(ctx, testCluster, sec(20))
	must(t, err)
	if len(p.Accounts) != 2 || p.Accounts[0].Name != "bio" || p.Accounts[1].Weight != 2 || p.Accounts[1].Recent != 40 || p.Accounts[1].Parent != "root" {
		t.Errorf("accounts %+v, want bio without use and phys with weight 2 and 40 GPU-seconds", p.Accounts)
	}
}
