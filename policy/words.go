package policy

import (
	"strconv"
	"time"
)

// FormatDuration prints a duration as people say it, to its two largest units: 45s, 12m,
// 12m05s, 3h20m, 2d04h.
func FormatDuration(d time.Duration) string {
	if d < 0 {
		return "-" + FormatDuration(-d)
	}
	d = d.Round(time.Second)
	seconds, minutes, hours := int(d.Seconds())%60, int(d.Minutes())%60, int(d.Hours())
	switch {
	case d < time.Minute:
		return strconv.Itoa(seconds) + "s"
	case d < time.Hour:
		return formatTwoUnits(minutes, "m", seconds, "s")
	case d < 24*time.Hour:
		return formatTwoUnits(hours, "h", minutes, "m")
	}
	return formatTwoUnits(hours/24, "d", hours%24, "h")
}

// FormatSeconds prints seconds as FormatDuration does, to the second; what is not positive is 0s.
func FormatSeconds(seconds float64) string {
	return FormatDuration(DurationFromSeconds(seconds).Round(time.Second))
}

// formatTwoUnits leaves the smaller unit out where there is nothing of it.
func formatTwoUnits(large int, largeUnit string, small int, smallUnit string) string {
	text := strconv.Itoa(large) + largeUnit
	switch {
	case small == 0:
		return text
	case small < 10:
		text += "0"
	}
	return text + strconv.Itoa(small) + smallUnit
}

// FormatCount prints "1 job", "2 jobs".
func FormatCount(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}
