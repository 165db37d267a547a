package runs

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fairbridge/accounting/dbtest"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// weightChange is weights that the daemon starts with at a moment.
type weightChange struct {
	at      int
	weights policy.BillingWeights
}

var weightChanges = rapid.SliceOfN(rapid.Custom(func(r *rapid.T) weightChange {
	w := policy.BillingWeights{}
	for _, typ := range []string{"a100", "t4", "never_seen"} {
		if rapid.Bool().Draw(r, "given") {
			w[typ] = rapid.SampledFrom([]float64{0, .25, 1, 2, 3.5}).Draw(r, "weight")
		}
	}
	return weightChange{rapid.IntRange(0, 900_000).Draw(r, "at"), w}
}), 0, 5)

// typeOf is the GPU type on which a life is spent.
func (l life) typeOf() string { return []string{"a100", "t4"}[(l.gpus+l.user)%2] }

// shownOnTypes returns what Slurm shows at p of jobs on two types of GPU.
func shownOnTypes(list []life, p int) *slurm.View {
	v := shown(list, p)
	for i := range v.Jobs {
		j := &v.Jobs[i]
		typ := list[j.ID-1].typeOf()
		for k, d := range j.GresDetail {
			for m := range d.List {
				j.GresDetail[k].List[m].Type = typ
			}
		}
		for m, g := range j.AllocatedTRES.Gres {
			if g.Type != "" {
				j.AllocatedTRES.Gres[m].Type = typ
			}
		}
	}
	return v
}

// closedCharge is the closed form of what a life is charged as of now: piece by piece, each by the
// weight that held then.
func closedCharge(l life, changes []weightChange, now int, half float64) float64 {
	weight, from, sum := 1.0, l.start, 0.0
	piece := func(to int) {
		if to = min(to, l.end, now); to > from {
			sum += weight * closed(float64(l.gpus), float64(from), float64(to), float64(now), half)
			from = to
		}
	}
	for _, c := range changes {
		piece(c.at)
		weight = c.weights.Of(l.typeOf())
	}
	piece(math.MaxInt)
	return sum
}

// TestChargesEqualClosedForm: whenever weights change, what was held before is charged as it was; also where sums over
// old segments are remembered.
func TestChargesEqualClosedForm(t *testing.T) {
	d := fresh(t)
	ctx := t.Context()
	changed := 0
	rapid.Check(t, func(r *rapid.T) {
		_, err := d.DB.Exec(ctx, "truncate fairbridge.run_segments, fairbridge.job_runs, fairbridge.watch, fairbridge.gpu_weights")
		must(t, err)
		d.oldUsage.sumByCluster = map[string]*usageSum{}
		half := rapid.IntRange(50_000, 1_000_000).Draw(r, "half-life")
		d.HalfLife = time.Duration(half) * time.Second
		list, changes := lives.Draw(r, "jobs"), weightChanges.Draw(r, "changes")
		var known []weightChange
		last := -1
		for _, p := range sorted(rapid.SliceOfN(rapid.IntRange(0, 900_000), 1, 6).Draw(r, "polls")) {
			for _, c := range changes {
				if c.at > last && c.at <= p && (len(known) == 0 || c.at > known[len(known)-1].at) {
					must(t, d.SetBillingWeights(ctx, testCluster, "ann", sec(c.at), c.weights))
					known = append(known, c)
					changed++
				}
			}
			last = p
			must(t, d.RecordView(ctx, shownOnTypes(list, p)))
			past, err := d.Past(ctx, testCluster, sec(p))
			must(t, err)
			for _, u := range past.Users {
				charged, held, slack := 0.0, 0.0, 1e-2
				for _, l := range list {
					if x := shownUser(l); l.start < p && x == u.Name {
						charged += closedCharge(l, known, p, float64(half))
						held += closedCharge(l, nil, p, float64(half))
						slack += math.Exp2(-MaxHalfLives) * float64(4*l.gpus*(l.end-l.start))
					}
				}
				if used := float64(u.UsedService); math.Abs(used-charged) > 1e-7*charged+slack {
					r.Errorf("at %d, %s is charged %v, want %v", p, u.Name, used, charged)
				}
				if h := float64(u.HeldService); math.Abs(h-held) > 1e-7*held+slack && !(h == 0 && math.Abs(held-charged) <= 1e-7*held+slack) {
					r.Errorf("at %d, %s held %v, want %v", p, u.Name, h, held)
				}
			}
		}
	})
	if changed < 20 {
		t.Errorf("weights were changed %d times: that is hardly tried", changed)
	}
}

// shownUser is the user that shown gives a life.
func shownUser(l life) string { return []string{"u0", "u1", "u2"}[l.user] }

// TestWeightsAreRows: a change is a row with its author; no change is none; a type that is no longer given
// has weight 1 from then on.
func TestWeightsAreRows(t *testing.T) {
	d := fresh(t)
	ctx := t.Context()
	set := func(author string, at int, w policy.BillingWeights) {
		t.Helper()
		must(t, d.SetBillingWeights(ctx, testCluster, author, sec(at), w))
	}
	set("ann", 10, policy.BillingWeights{"a100": 1, "t4": .25, "h100": 2})
	set("bob", 20, policy.BillingWeights{"t4": .25, "h100": 2})
	set("bob", 30, policy.BillingWeights{"t4": .5})
	set("eve", 5, policy.BillingWeights{"t4": .75}) // by a clock that is behind: it holds all the same
	got := dbtest.QueryTexts(t, d.DB, "select concat_ws(' ', gpu_type, weight, author, round(extract(epoch from since - $1))) from fairbridge.gpu_weights order by gpu_type, since", t0)
	want := []string{"h100 2 ann 10", "h100 1 bob 30", "t4 0.25 ann 10", "t4 0.5 bob 30", "t4 0.75 eve 30"}
	if len(got) != len(want) {
		t.Fatalf("%q, want %q", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%q, want %q", got[i], want[i])
		}
	}
	spans := dbtest.QueryTexts(t, d.DB, "select concat_ws(' ', weight, coalesce(since::text, 'ever') = 'ever', until is null) from fairbridge_v1.gpu_weights where gpu_type = 'h100' order by since nulls first")
	if len(spans) != 3 || spans[0] != "1 t f" || spans[1] != "2 f f" || spans[2] != "1 f t" {
		t.Errorf("weights of h100: %q, want 1 until 10 s, 2 until 30 s and 1 since", spans)
	}
	if _, err := d.DB.Exec(ctx, "update fairbridge.gpu_weights set weight = 9"); err == nil {
		t.Error("a weight was changed where it stands")
	}
	for _, w := range []float64{-1, math.NaN(), math.Inf(1), 1001} {
		if err := d.SetBillingWeights(ctx, testCluster, "ann", sec(50), policy.BillingWeights{"x": w}); err == nil {
			t.Errorf("weight %v is stored", w)
		}
	}
}

// TestUseIsAsWithoutWeights: weights of 1, given or not, change nothing that policies see, to the last digit.
func TestUseIsAsWithoutWeights(t *testing.T) {
	d := fresh(t)
	ctx := t.Context()
	list := []life{{0, 3, 0, 400_000}, {1, 7, 1_000, 333_333}, {2, 5, 390_000, 500_000}}
	must(t, d.RecordView(ctx, shownOnTypes(list, 450_000)))
	before, err := d.Past(ctx, testCluster, sec(450_000))
	must(t, err)
	must(t, d.SetBillingWeights(ctx, testCluster, "ann", sec(100_000), policy.BillingWeights{"a100": 1, "t4": 1}))
	after, err := d.Past(ctx, testCluster, sec(450_000))
	must(t, err)
	for i, u := range before.Users {
		if after.Users[i] != u || u.HeldService != 0 {
			t.Errorf("%+v, before %+v", after.Users[i], u)
		}
	}
	for i, a := range before.Accounts {
		if after.Accounts[i] != a || a.HeldService != 0 {
			t.Errorf("%+v, before %+v", after.Accounts[i], a)
		}
	}
}
