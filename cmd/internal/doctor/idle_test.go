package doctor

import (
	"strings"
	"testing"
	"time"

	"fairbridge/bridge"
)

// TestStopIdle: nothing is said where no job is stopped so, and a short time is warned of.
func TestStopIdle(t *testing.T) {
	for _, c := range []struct {
		after time.Duration
		mode  bridge.Mode
		level Level
		says  string
	}{
		{0, bridge.ModePreempt, LevelOK, ""},
		{2 * time.Hour, bridge.ModePreempt, LevelOK, "did no work for 2h"},
		{2 * time.Hour, bridge.ModeObserve, LevelOK, "only shown"},
		{14 * time.Minute, bridge.ModePreempt, LevelWarn, "loads data"},
	} {
		got := checkStopIdle("gpu", c.after, c.mode)
		if len(got) == 0 && c.says == "" {
			continue
		}
		if len(got) != 1 || got[0].Level != c.level || c.says == "" || !strings.Contains(got[0].Text, c.says) || (got[0].Fix != "") != (c.level == LevelWarn) {
			t.Errorf("%v in mode %s: %+v", c.after, c.mode, got)
		}
	}
}
