package fairshare_test

import (
	"math"
	"testing"
	"time"

	"fairbridge/replica/sim/fairshare"
)

func TestFactorFollowsUseAndFades(t *testing.T) {
	start := time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)
	u := fairshare.NewUsage([]fairshare.Account{{Name: "a", Shares: 3}, {Name: "b"}}, time.Hour, start)
	ann, bob := fairshare.Association{Account: "a", User: "ann"}, fairshare.Association{Account: "b", User: "bob"}
	if f := u.ClassicFactor(ann); f != 1 {
		t.Errorf("%g without any use, want 1", f)
	}
	u.AddUse(ann, 300)
	u.AddUse(bob, 100)
	for a, want := range map[fairshare.Association]float64{
		ann: 0.5, bob: 0.5, // both have used what their account has shares for
		{Account: "a", User: "amy"}: math.Exp2(-(0.75 / 2) / (0.75 / 2)), // half of what ann has used weighs on her
		{Account: "c", User: "cid"}: 1,
	} {
		if f := u.ClassicFactor(a); math.Abs(f-want) > 1e-12 {
			t.Errorf("%v: %g, want %g", a, f, want)
		}
	}
	u.DecayTo(start.Add(time.Hour))
	u.AddUse(bob, 50) // now as much as ann's half
	if f := u.ClassicFactor(bob); math.Abs(f-math.Exp2(-100.0/250/0.25)) > 1e-12 {
		t.Errorf("%g after an hour", f)
	}
	if !u.LastDecay().Equal(start.Add(time.Hour)) {
		t.Errorf("decayed at %v", u.LastDecay())
	}
}
