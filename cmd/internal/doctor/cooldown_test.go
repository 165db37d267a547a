package doctor

import (
	"strings"
	"testing"
	"time"

	"fairbridge/bridge"
)

// TestEditCooldown: as long as the interval is too long, the defaults are not.
func TestEditCooldown(t *testing.T) {
	c := bridge.DefaultConfig()
	for _, tt := range []struct {
		cooldown, interval time.Duration
		warns              bool
	}{
		{c.Budgets.EditCooldown, c.Interval, false},
		{20 * time.Second, 20 * time.Second, true},
		{time.Minute, 30 * time.Second, true},
		{20 * time.Second, 60 * time.Second, false},
	} {
		f := checkEditCooldown(tt.cooldown, tt.interval)
		if warns := f.Level == LevelWarn; warns != tt.warns || warns && !strings.Contains(f.Fix, "edit_cooldown") {
			t.Errorf("cooldown %v, interval %v: %+v", tt.cooldown, tt.interval, f)
		}
	}
}
