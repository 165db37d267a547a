package runs

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

// life is one job's.
type life struct{ user, gpus, start, end int }

var lives = rapid.SliceOfN(rapid.Custom(func(r *rapid.T) life {
	start := rapid.IntRange(0, 500_000).Draw(r, "start")
	return life{rapid.IntRange(0, 2).Draw(r, "user"), rapid.IntRange(1, 16).Draw(r, "gpus"), start, start + rapid.IntRange(1, 200_000).Draw(r, "length")}
}), 1, 12)

// shown returns what Slurm shows of the jobs at p.
func shown(list []life, p int) *slurm.View {
	var jobs []slurm.Job
	for i, l := range list {
		if l.start > p {
			continue
		}
		j := running(int64(i+1), sec(l.start), sec(l.start))
		j.User, j.Account = fmt.Sprint("u", l.user), fmt.Sprint("a", l.user%2)
		j.GresDetail = slurm.ReadGRESDetail([]string{fmt.Sprintf("gpu:a100:%d", l.gpus)})
		if l.end <= p {
			j.State, j.End, j.GresDetail, j.AllocatedTRES = "COMPLETED", sec(l.end), nil, slurm.ReadTRES(fmt.Sprintf("gres/gpu=%d,gres/gpu:a100=%[1]d", l.gpus))
		}
		jobs = append(jobs, j)
	}
	return view(sec(p), jobs...)
}

// closedUse is the closed form of what users and accounts used as of now:
// decayed, and of the last day.
func closedUse(list []life, now int, half float64) (used, recent map[string]float64) {
	used, recent = map[string]float64{}, map[string]float64{}
	for _, l := range list {
		if l.start >= now {
			continue
		}
		end := min(l.end, now)
		use := closed(float64(l.gpus), float64(l.start), float64(end), float64(now), half)
		used[fmt.Sprint("u", l.user)] += use
		used[fmt.Sprint("a", l.user%2)] += use
		recent[fmt.Sprint("a", l.user%2)] += float64(l.gpus * max(end-max(l.start, now-86400), 0))
	}
	return used, recent
}

// Random histories of some days, recorded poll by poll as Slurm would show
// them, must at every poll give the use that their closed form gives: also
// where old sums are remembered, and where they had to be dropped because a
// poll told of old times.
func TestDecayedUsageEqualsClosedForm(t *testing.T) {
	d := fresh(t)
	ctx := t.Context()
	kept, dropped := 0, 0
	rapid.Check(t, func(r *rapid.T) {
		_, err := d.DB.Exec(ctx, "truncate fairbridge.run_segments, fairbridge.job_runs, fairbridge.watch")
		must(t, err)
		d.oldUsage.sumByCluster = map[string]*usageSum{}
		half := rapid.IntRange(5_000, 1_000_000).Draw(r, "half-life")
		d.HalfLife = time.Duration(half) * time.Second
		list := lives.Draw(r, "jobs")
		slack := 1e-3 // what lies before the horizon is forgotten: less than 2^-20 of it was left
		for _, l := range list {
			slack += math.Exp2(-MaxHalfLives) * float64(l.gpus*(l.end-l.start))
		}
		var last *usageSum
		for _, p := range sorted(rapid.SliceOfN(rapid.IntRange(0, 900_000), 1, 6).Draw(r, "polls")) {
			if err := d.RecordView(ctx, shown(list, p)); err != nil {
				r.Fatal(err)
			}
			past, err := d.Past(ctx, testCluster, sec(p))
			if err != nil {
				r.Fatal(err)
			}
			switch now := d.oldUsage.sumByCluster[testCluster]; {
			case now == last:
				kept++
			case last != nil && now.rewriteNumber != last.rewriteNumber:
				dropped++
			}
			last = d.oldUsage.sumByCluster[testCluster]
			used, recent := closedUse(list, p, float64(half))
			got := map[string]float64{}
			for _, u := range past.Users {
				got[u.Name] += float64(u.UsedService)
			}
			for _, a := range past.Accounts {
				got[a.Name] += float64(a.UsedService)
				if math.Abs(float64(a.RecentService)-recent[a.Name]) > 1e-3 {
					r.Errorf("at %d %s used %v in a day, want %v", p, a.Name, float64(a.RecentService), recent[a.Name])
				}
			}
			for name, w := range used {
				if math.Abs(got[name]-w) > 1e-7*w+slack {
					r.Errorf("at %d %s used %v, want %v", p, name, got[name], w)
				}
			}
		}
	})
	if kept == 0 || dropped == 0 {
		t.Errorf("old sums were kept %d and dropped %d times: one of the two was not tried", kept, dropped)
	}
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
	must(t, d.SetConfiguredAccounts(ctx, testCluster, []policy.Account{{Name: "phys", Weight: 3, Parent: "root"}, {Name: "old", Weight: 1}}))
	must(t, d.SetConfiguredAccounts(ctx, testCluster, []policy.Account{{Name: "phys", Weight: 2, Parent: "root"}, {Name: "bio", Weight: 0}}))
	must(t, d.RecordView(ctx, view(sec(20), running(1, t0, sec(10)))))
	p, err := d.Past(ctx, testCluster, sec(20))
	must(t, err)
	if len(p.Accounts) != 2 || p.Accounts[0].Name != "bio" || p.Accounts[1].Weight != 2 || p.Accounts[1].RecentService != 40 || p.Accounts[1].Parent != "root" {
		t.Errorf("accounts %+v, want bio without use and phys with weight 2 and 40 GPU-seconds", p.Accounts)
	}
}

// What becomes known late counts, although sums were made without it.
func TestOldUseThatBecomesKnownLate(t *testing.T) {
	d := fresh(t)
	ctx := t.Context()
	const day = 86400
	used := func(now int) float64 {
		t.Helper()
		p, err := d.Past(ctx, testCluster, sec(now))
		must(t, err)
		sum := 0.0
		for _, a := range p.Accounts {
			sum += float64(a.UsedService)
		}
		return sum
	}
	list := []life{{0, 4, 4 * day, 9 * day}, {1, 8, day, 2 * day}, {2, 1, 0, day}}
	must(t, d.RecordView(ctx, shown(list[:1], 5*day)))
	before := used(5 * day)
	must(t, d.RecordView(ctx, shown(list, 5*day+30)))
	want, _ := closedUse(list, 5*day+30, DefaultHalfLife.Seconds())
	if got := used(5*day + 30); math.Abs(got-want["a0"]-want["a1"]) > 1e-3 || got < before+8*day/2 {
		t.Errorf("used %v, want %v", got, want["a0"]+want["a1"])
	}
	must(t, d.RecordView(ctx, shown(list, 5*day+60)))
	kept := d.oldUsage.sumByCluster[testCluster]
	used(5*day + 60)
	if d.oldUsage.sumByCluster[testCluster] != kept {
		t.Error("sums were dropped although nothing old was written")
	}
}
