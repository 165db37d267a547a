package policy_test

import (
	"testing"
	"time"

	"fairbridge/policy"
)

func TestFormatDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 300 * time.Millisecond: "0s", 45 * time.Second: "45s", 59*time.Second + 600*time.Millisecond: "1m", 12 * time.Minute: "12m",
		12*time.Minute + 5*time.Second: "12m05s", 2 * time.Hour: "2h", 3*time.Hour + 20*time.Minute: "3h20m", 3*time.Hour + 5*time.Minute + 9*time.Second: "3h05m",
		48 * time.Hour: "2d", 52 * time.Hour: "2d04h", -5 * time.Second: "-5s", -2 * time.Minute: "-2m",
	} {
		if got := policy.FormatDuration(d); got != want {
			t.Errorf("FormatDuration(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestFormatCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 jobs", 1: "1 job", 2: "2 jobs"} {
		if got := policy.FormatCount(n, "job"); got != want {
			t.Errorf("FormatCount(%d) = %q, want %q", n, got, want)
		}
	}
}
