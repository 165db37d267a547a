package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// ParseTime reads "7d", "36h" (so long before now) or a time in UTC.
func ParseTime(s string, now time.Time) (time.Time, error) {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n >= 0 {
			return now.AddDate(0, 0, -n), nil
		}
	}
	if d, err := time.ParseDuration(s); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	for _, layout := range []string{time.DateOnly, "2006-01-02T15:04", "2006-01-02T15:04:05", time.RFC3339} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is not a time such as 7d, 36h, 2026-03-02 or 2026-03-02T15:00", s)
}

// ParsePeriod reads the flags --since and --until, which "" leaves at now. Errors name the flag.
func ParsePeriod(since, until string, now time.Time) (from, to time.Time, err error) {
	if from, err = ParseTime(since, now); err != nil {
		return from, to, fmt.Errorf("--since: %w", err)
	}
	if to = now; until != "" {
		if to, err = ParseTime(until, now); err != nil {
			return from, to, fmt.Errorf("--until: %w", err)
		}
	}
	if !from.Before(to) {
		return from, to, errors.New("--since is not before --until")
	}
	return from, to, nil
}
