package doctor

import (
	"strings"
	"testing"
	"time"

	"fairbridge/bridge/slurm"
)

func TestLoad(t *testing.T) {
	const interval = 30 * time.Second
	now := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		user, api string
		span, own time.Duration
		level     Level
		words     []string // of the text and the fix
	}{
		"little":             {"fairbridge", "v0.0.42", time.Hour, 36 * time.Second, LevelOK, []string{"in 1h0m0s", "1200 requests of fairbridge in 36s", "1.00 %", "50 % of what all", "30ms each", "in 30s 10.0 requests and 300ms", "backfill takes 2s"}},
		"nothing":            {"fairbridge", "v0.0.42", time.Hour, 0, LevelOK, []string{"0.00 %", "0s each"}},
		"the most":           {"fairbridge", "v0.0.42", time.Hour, 180 * time.Second, LevelOK, []string{"5.00 %"}},
		"too much":           {"fairbridge", "v0.0.42", time.Hour, 181 * time.Second, LevelWarn, []string{"more than 5 % is too much", "raise interval", "order.window (200)", "slurm.refresh"}},
		"too much, all read": {"fairbridge", "v0.0.38", time.Hour, 190 * time.Second, LevelWarn, []string{"every poll reads all jobs"}},
		"just begun":         {"fairbridge", "v0.0.42", time.Minute, time.Minute, LevelSkip, []string{"began 1m0s ago"}},
		"nobody":             {"", "v0.0.42", time.Hour, 0, LevelSkip, []string{"not counted apart"}},
	} {
		f := checkLoad(&slurm.View{APIVersion: tt.api, ControllerLoad: slurm.ControllerLoad{
			At: now, CountersStart: now.Add(-tt.span), BackfillMean: 2 * time.Second,
			Own: slurm.RPCCount{Name: tt.user, Count: 1200, TotalTime: tt.own}, All: slurm.RPCCount{Count: 5000, TotalTime: tt.own * 2},
		}}, time.Time{}, interval, 200)
		if f.Level != tt.level || f.Level != LevelOK && f.Fix == "" {
			t.Errorf("%s: %+v, want %s", name, f, tt.level)
		}
		for _, w := range tt.words {
			if !strings.Contains(f.Text+" "+f.Fix, w) {
				t.Errorf("%s: %q, want %q in it", name, f.Text+" "+f.Fix, w)
			}
		}
	}
}

// TestLoadAfterMidnight: slurmctld no longer tells since when it counts requests; its start does.
func TestLoadAfterMidnight(t *testing.T) {
	now := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	v := &slurm.View{ControllerLoad: slurm.ControllerLoad{At: now, Own: slurm.RPCCount{Name: "fairbridge", Count: 10, TotalTime: 48 * time.Minute}}}
	for boot, want := range map[time.Time]Level{now.Add(-48 * time.Hour): LevelOK, now.Add(-12 * time.Hour): LevelWarn, now.Add(time.Hour): LevelSkip, {}: LevelSkip} {
		if f := checkLoad(v, boot, 30*time.Second, 200); f.Level != want {
			t.Errorf("started at %v: %+v, want %s", boot, f, want)
		} else if saysAtLeast := strings.Contains(f.Text, "if sdiag --reset was called since"); saysAtLeast != (want != LevelSkip) {
			t.Errorf("started at %v: %q", boot, f.Text)
		}
	}
}
