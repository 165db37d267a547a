package sharecompare

import (
	"fmt"
	"time"

	"fairbridge/api"
	"fairbridge/bridge/printable"
	"fairbridge/policy"
)

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
