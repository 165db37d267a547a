package sharecompare

import (
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fairbridge/api"
	"fairbridge/policy"
)

// account is one that used so many GPU-hours, of 100 that all used, of a share.
func account(name string, usedHours, share float64, gpus int) *api.AccountShare {
	return &api.AccountShare{
		Name: name, Entitled: share, AccountUse: &api.AccountUse{UsedPart: usedHours / 100, UsedService: policy.GPUSeconds(usedHours * 3600)},
		AccountJobs: &api.AccountJobs{RunningGPUs: gpus},
	}
}

const week = 7 * 24 * time.Hour

// TestTheTurnIsWhenUseIsEven: when the comparison says that it turns, both have used as much of their shares, by the decay that
// policies go by; before, one goes first, and where it says that it never turns, that one does so for long.
func TestTheTurnIsWhenUseIsEven(t *testing.T) {
	turns, stays := 0, 0
	rapid.Check(t, func(r *rapid.T) {
		for range 10 {
			a, b := drawAccount(r, "a"), drawAccount(r, "b")
			switch c := Compare(a, b, week); {
			case c.First == "":
			case c.First == "b":
				checkTurn(r, &c, b, a)
			default:
				checkTurn(r, &c, a, b)
			}
			if c := Compare(a, b, week); c.First != "" && c.TurnsIn > 0 {
				turns++
			} else {
				stays++
			}
		}
	})
	if turns < 10 || stays < 10 {
		t.Errorf("it turned %d times and stayed %d: one of both is hardly tried", turns, stays)
	}
}

func drawAccount(r *rapid.T, name string) *api.AccountShare {
	a := account(name, rapid.Float64Range(0, 100).Draw(r, "used"), rapid.Float64Range(.01, .99).Draw(r, "share"), rapid.IntRange(0, 64).Draw(r, "gpus"))
	if w := rapid.SampledFrom([]float64{.25, 1, 2}).Draw(r, "weight"); w != 1 {
		a.HeldService = policy.GPUSeconds(float64(a.UsedService) / w)
	}
	return a
}

// checkTurn works out what both used later by the decay that policies go by.
func checkTurn(r *rapid.T, c *Comparison, first, second *api.AccountShare) {
	of := func(x *api.AccountShare, seconds float64) float64 {
		later := float64(x.UsedService)*policy.DecayFactor(seconds, week.Seconds()) + float64(policy.DecayedService(chargedRate(x), seconds, 0, week.Seconds()))
		return later / x.Entitled
	}
	lead := func(seconds float64) float64 { return of(second, seconds) - of(first, seconds) }
	scale := of(first, 0) + of(second, 0)
	switch {
	case lead(0) <= 0:
		r.Errorf("%s goes first though it used more of its share: %+v", c.First, c)
	case c.TurnsIn == 0:
		if lead(20*week.Seconds()) < -1e-6*scale {
			r.Errorf("it turns: %+v", c)
		}
	default:
		if x := lead(c.TurnsIn); math.Abs(x) > 1e-6*scale+1 || lead(c.TurnsIn/2) <= 0 {
			r.Errorf("after %v s the lead is %v, at half of it %v: %+v", c.TurnsIn, x, lead(c.TurnsIn/2), c)
		}
	}
}

func TestWords(t *testing.T) {
	mine, other := account("physics", 60, .25, 0), account("chemistry", 20, .25, 16)
	c := Compare(mine, other, week)
	want := "physics used 60.0 GPU-hours, which is 60.0 % of all use, of a share of 25.0 %, and chemistry used 20.0 GPU-hours, which is 20.0 % of all use, of a share of 25.0 %. " +
		"So where shares decide, the jobs of physics go behind those of chemistry, for about 2h29m more if both go on holding what they hold now: physics 0 GPUs, chemistry 16."
	if c.Words != want || c.First != "chemistry" {
		t.Errorf("%q\nwant %q", c.Words, want)
	}
	mine.HeldService = 2 * mine.UsedService
	if c = Compare(mine, other, week); !strings.Contains(c.Words, "physics used 120.0 GPU-hours (charged 60.0), which") {
		t.Error(c.Words)
	}
	if c = Compare(mine, other, 0); c.TurnsIn != 0 || !strings.HasSuffix(c.Words, "go behind those of chemistry.") {
		t.Errorf("without a half-life: %+v", c)
	}
	mine.AccountJobs = nil
	if c = Compare(mine, other, week); !c.HoldsUnknown || c.TurnsIn != 0 || !strings.HasSuffix(c.Words, "until when is not known here, since what they hold is private.") {
		t.Errorf("%+v", c)
	}
	if c = Compare(account("a", 20, .2, 1), account("b", 30, .3, 1), week); c.First != "" || !strings.Contains(c.Words, "neither's jobs go first") {
		t.Errorf("%+v", c)
	}
	if c = Compare(account("a", 1, .2, 0), account("b", 30, .3, 9), week); !strings.Contains(c.Words, "a go before those of b, and that stays so") {
		t.Error(c.Words)
	}
}

func TestIsBelow(t *testing.T) {
	all := []api.AccountShare{{Name: "root"}, {Name: "x", Parent: "root"}, {Name: "y", Parent: "x"}, {Name: "r", Parent: "s"}, {Name: "s", Parent: "r"}}
	for pair, want := range map[[2]string]bool{{"y", "root"}: true, {"y", "x"}: true, {"x", "y"}: false, {"r", "x"}: false, {"x", "x"}: true} {
		if got := IsBelow(all, pair[0], pair[1]); got != want {
			t.Errorf("%v: %v", pair, got)
		}
	}
}
