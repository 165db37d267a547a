package doctor

import (
	"strings"
	"testing"

	"fairbridge/bridge"
)

// TestExperimentalModesAreLoud: modes elastic and share are warned of, and no other.
func TestExperimentalModesAreLoud(t *testing.T) {
	for _, m := range bridge.Modes {
		got := checkExperimental("gpu", m)
		if (len(got) == 1) != m.Allows(bridge.ModeElastic) {
			t.Errorf("mode %s: %+v", m, got)
		}
		for _, f := range got {
			if f.Level != LevelWarn || !strings.Contains(f.Text, "EXPERIMENTAL") || !strings.Contains(f.Text, "partition gpu") {
				t.Errorf("mode %s: %+v", m, f)
			}
		}
	}
}
