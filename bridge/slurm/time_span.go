package slurm

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// maxTimeSpan is the longest time span that is believed.
const maxTimeSpan = 100 * 366 * 24 * time.Hour

// ParseTimeSpan reads time spans as Slurm writes them: minutes, m:s, h:m:s, d-h, d-h:m and
// d-h:m:s. Words like UNLIMITED mean none: 0.
func ParseTimeSpan(s string) (time.Duration, error) {
	switch strings.ToUpper(s) {
	case "", "UNLIMITED", "PARTITION_LIMIT", "INVALID", "NOT_SET", "N/A", "INFINITE", "UNKNOWN":
		return 0, nil
	}
	days, rest, dashed := strings.Cut(s, "-")
	if !dashed {
		days, rest = "0", s
	}
	parts := strings.Split(rest, ":")
	units := map[int][]float64{1: {60}, 2: {60, 1}, 3: {3600, 60, 1}}[len(parts)]
	if dashed {
		units = []float64{3600, 60, 1}[:min(len(parts), 3)]
	}
	d, err := strconv.ParseFloat(days, 64)
	sum := 86_400 * d
	for i, p := range parts {
		if err != nil || i >= len(units) {
			break
		}
		var v float64
		v, err = strconv.ParseFloat(p, 64)
		sum += v * units[i]
	}
	if err != nil || len(parts) > 3 || !(sum >= 0 && sum <= maxTimeSpan.Seconds()) {
		return 0, fmt.Errorf("%.61q is no time span, want like 1-12:30:00", s)
	}
	return time.Duration(sum * float64(time.Second)), nil
}
