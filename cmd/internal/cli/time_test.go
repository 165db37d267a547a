package cli

import (
	"strings"
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

func TestParsePeriod(t *testing.T) {
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	from, to, err := ParsePeriod("2d", "", now)
	if err != nil || !to.Equal(now) || !from.Equal(now.AddDate(0, 0, -2)) {
		t.Errorf("%v to %v, %v", from, to, err)
	}
	for _, c := range [][3]string{{"soon", "", "--since: "}, {"2d", "soon", "--until: "}, {"2d", "3d", "--since is not before --until"}} {
		if _, _, err := ParsePeriod(c[0], c[1], now); err == nil || !strings.HasPrefix(err.Error(), c[2]) {
			t.Errorf("%v: %v", c, err)
		}
	}
}
