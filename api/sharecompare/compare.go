// Package sharecompare says of two accounts whose jobs go first where shares decide, by what both used of what they are
// entitled to, and about until when that stays so. It is pure: values in, values and sentences out.
package sharecompare

import (
	"fmt"
	"math"
	"time"

	"fairbridge/api"
	"fairbridge/bridge/printable"
	"fairbridge/policy"
)

// Comparison is an account beside another.
type Comparison struct {
	Account string `json:"account"`
	Other   string `json:"other"`
	// First is whose jobs go first where shares decide; "": neither's, both used about as much of their shares.
	First string `json:"first,omitempty"`
	// TurnsIn is after how many seconds that turns, if both go on holding what they hold; absent: it does not,
	// or what they hold is not known here (HoldsUnknown).
	TurnsIn      float64 `json:"turns_in_seconds,omitempty"`
	HoldsUnknown bool    `json:"holds_unknown,omitempty"`
	// Words says it as sentences.
	Words string `json:"words"`
}

// alike is the part by which relative uses may differ and still stand alike.
const alike = .01

// Compare compares two accounts whose use may be seen. Both are with all accounts below them, as the answer has
// them; neither may be below the other. With a half-life of 0, which is not known, nothing is said of when it turns.
func Compare(a, other *api.AccountShare, halfLife time.Duration) Comparison {
	c := Comparison{Account: a.Name, Other: other.Name, HoldsUnknown: a.AccountJobs == nil || other.AccountJobs == nil}
	first, second := a, other
	switch x, y := UseOverShare(a), UseOverShare(other); {
	case math.Abs(x-y) <= alike*max(x, y) || x == y:
		first = nil
	case x > y:
		first, second = other, a
	}
	if first != nil {
		c.First = first.Name
		if !c.HoldsUnknown {
			c.TurnsIn = turnsIn(first, second, halfLife.Seconds())
		}
	}
	c.Words = words(&c, a, other, halfLife)
	return c
}

// UseOverShare is the part an account used of all use over the part it is entitled to.
func UseOverShare(a *api.AccountShare) float64 {
	switch {
	case a.AccountUse == nil || a.UsedPart == 0:
		return 0
	case a.Entitled <= 0:
		return math.Inf(1)
	}
	return a.UsedPart / a.Entitled
}

// turnsIn returns after how many seconds second goes before first, if both hold what they hold now; 0: never.
// Decayed use u becomes u·f + r·h/ln 2·(1-f) when f is left of it, where r GPUs are charged all the time.
func turnsIn(first, second *api.AccountShare, halfLife float64) float64 {
	if first.Entitled <= 0 || second.Entitled <= 0 || halfLife <= 0 {
		return 0
	}
	lead := float64(second.UsedService)/second.Entitled - float64(first.UsedService)/first.Entitled
	settles := halfLife / math.Ln2 * (chargedRate(second)/second.Entitled - chargedRate(first)/first.Entitled) // where the lead goes
	if settles >= 0 || lead <= 0 {
		return 0
	}
	return halfLife * math.Log1p(-lead/settles) / math.Ln2
}

// chargedRate is what an account is charged a second for what it holds now: its GPUs at what its use was charged
// in the mean, since the types of those it holds now are not told.
func chargedRate(a *api.AccountShare) float64 {
	mean := 1.0
	if a.HeldService > 0 {
		mean = float64(a.UsedService / a.HeldService)
	}
	return float64(a.RunningGPUs) * mean
}

// IsBelow reports whether an account is the other or somewhere below it, as far as parents may be seen.
func IsBelow(all []api.AccountShare, name, other string) bool {
	parents := map[string]string{}
	for i := range all {
		parents[all[i].Name] = all[i].Parent
	}
	for range all { // at most so deep, even if it were a circle
		if name == other {
			return true
		}
		if name = parents[name]; name == "" {
			return false
		}
	}
	return false
}

// heldOf is what an account held, charged as it is or not.
func heldOf(u *api.AccountUse) policy.GPUSeconds {
	if u.HeldService > 0 {
		return u.HeldService
	}
	return u.UsedService
}

// words says a comparison as sentences.
func words(c *Comparison, a, other *api.AccountShare, halfLife time.Duration) string {
	text := fmt.Sprintf("%s, and %s.", used(a), used(other))
	switch c.First {
	case "":
		return text + " That is about as much of their shares: where shares decide, neither's jobs go first."
	case a.Name:
		text += fmt.Sprintf(" So where shares decide, the jobs of %s go before those of %s", name(a), name(other))
	default:
		text += fmt.Sprintf(" So where shares decide, the jobs of %s go behind those of %s", name(a), name(other))
	}
	switch {
	case c.HoldsUnknown:
		return text + "; until when is not known here, since what they hold is private."
	case halfLife <= 0: // an older daemon does not tell it
		return text + "."
	case c.TurnsIn > 0:
		return text + fmt.Sprintf(", for about %s more if both go on holding what they hold now: %s.", policy.FormatSeconds(c.TurnsIn), holds(a, other))
	}
	return text + fmt.Sprintf(", and that stays so while both hold what they hold now: %s.", holds(a, other))
}

// used says what an account used of what it is entitled to.
func used(a *api.AccountShare) string {
	hours := fmt.Sprintf("%.1f GPU-hours", heldOf(a.AccountUse).Hours())
	if a.HeldService > 0 {
		hours += fmt.Sprintf(" (charged %.1f)", a.UsedService.Hours())
	}
	return fmt.Sprintf("%s used %s, which is %s of all use, of a share of %s", name(a), hours, percent(a.UsedPart), percent(a.Entitled))
}

func holds(a, other *api.AccountShare) string {
	return fmt.Sprintf("%s %s, %s %d", name(a), policy.FormatCount(a.RunningGPUs, "GPU"), name(other), other.RunningGPUs)
}

// name is an account's, no longer than a sentence bears.
func name(a *api.AccountShare) string { return printable.Truncate(a.Name, 40) }

// percent writes a part of 1 with a digit.
func percent(part float64) string { return fmt.Sprintf("%.1f %%", 100*part) }

// HalfLifeWords says how older use counts; a half-life of 0 is not known.
func HalfLifeWords(halfLife time.Duration) string {
	if halfLife <= 0 {
		return "Older use counts less."
	}
	return fmt.Sprintf("Older use counts less: half after each %s.", policy.FormatDuration(halfLife))
}
