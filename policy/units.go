package policy

import (
	"fmt"
	"strconv"
	"time"
)

// GPUSeconds is an amount of GPU service: whole GPUs times seconds. A MIG
// slice or shard counts by its share of a whole GPU.
type GPUSeconds float64

// Hours returns the amount in GPU-hours.
func (g GPUSeconds) Hours() float64 { return float64(g) / 3600 }

// String prints GPU-hours with two digits, the unit people compare.
func (g GPUSeconds) String() string { return fmt.Sprintf("%.2f GPU-h", g.Hours()) }

// ServiceForTime returns what gpus whole GPUs deliver in d.
func ServiceForTime(gpus float64, d time.Duration) GPUSeconds {
	return GPUSeconds(gpus * d.Seconds())
}

// OptionalValue is a reading that may be missing. The zero OptionalValue is unknown, so an
// absent reading can never be mistaken for zero.
type OptionalValue struct {
	Value float64 `json:"value"`
	Known bool    `json:"known"`
}

// KnownValue returns a measured value.
func KnownValue(v float64) OptionalValue { return OptionalValue{Value: v, Known: true} }

// Later returns the later of two times.
func Later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// SecondsForService returns for how many seconds the GPUs must be held for so much service; 0
// without any.
func (g GPUs) SecondsForService(service GPUSeconds) float64 {
	if whole := g.WholeGPUs(); whole > 0 {
		return float64(service) / whole
	}
	return 0
}

// DurationFromSeconds converts seconds to a Duration, within what one can hold; what is not
// positive gives 0.
func DurationFromSeconds(s float64) time.Duration {
	const most = float64(1<<62) / float64(time.Second)
	if !(s > 0) {
		return 0
	}
	return time.Duration(min(s, most) * float64(time.Second))
}

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
