package paired

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// FormatRatio prints a ratio in few characters: .98, 1.07, 12.3; – where there is none.
func FormatRatio(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "–"
	}
	digits := 2
	if v >= 9.995 {
		digits = 1
	}
	if v >= 99.95 {
		digits = 0
	}
	return strings.TrimPrefix(strconv.FormatFloat(v, 'f', digits, 64), "0")
}

// FormatSpread prints the figure of a policy: the median, the least and greatest where there
// are several seeds, and of a ratio on how many it is better and on how many worse:
// ".91 .80–1.19 14:6".
func (f *Figure) FormatSpread(s Spread) string {
	if !f.IsRatio {
		return f.FormatValues(s)
	}
	if s.SeedCount <= 1 { // which side of 1 it is on shows
		return FormatRatio(s.Median)
	}
	mid, low, high := FormatRatio(s.Median), FormatRatio(s.Least), FormatRatio(s.Greatest)
	if low == high {
		return fmt.Sprintf("%s %d:%d", mid, s.BetterCount, s.WorseCount)
	}
	return fmt.Sprintf("%s %s–%s %d:%d", mid, low, high, s.BetterCount, s.WorseCount)
}

// FormatValues prints the figure itself, as of the baseline: "1234 980–2100".
func (f *Figure) FormatValues(s Spread) string {
	mid, low, high := f.formatValue(s.Median), f.formatValue(s.Least), f.formatValue(s.Greatest)
	if low == high {
		return mid
	}
	return fmt.Sprintf("%s %s–%s", mid, strings.TrimSuffix(low, " %"), high)
}

// formatValue prints one value in a few characters, its unit by the figure.
func (f *Figure) formatValue(v float64) string {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return "–"
	case f.isShare:
		return strconv.FormatFloat(100*v, 'f', 1, 64) + " %"
	case f.Group == GroupCost && f.Key != "lost_gpu_hours", v >= 1000:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 100:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}
