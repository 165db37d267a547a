package cli

import (
	"testing"
	"time"
)

func TestParseTime(t *testing.T) {
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	for s, want := range map[string]string{
		"7d": "2026-03-03T12:00:00Z", "0d": "2026-03-10T12:00:00Z", "36h": "2026-03-09T00:00:00Z", "2026-03-02": "2026-03-02T00:00:00Z",
		"2026-03-02T15:00": "2026-03-02T15:00:00Z", "2026-03-02T15:00:01+01:00": "2026-03-02T14:00:01Z",
	} {
		if got, err := ParseTime(s, now); err != nil || got.UTC().Format(time.RFC3339) != want {
			t.Errorf("%s: %v, %v, want %s", s, got, err, want)
		}
	}
	for _, s := range []string{"", "-7d", "-1h", "soon", "2026-13-01"} {
		if got, err := ParseTime(s, now); err == nil {
			t.Errorf("%q is %v", s, got)
		}
	}
}
