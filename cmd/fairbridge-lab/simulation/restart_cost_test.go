package simulation

import (
	"strings"
	"testing"
	"time"

	"fairbridge/replica/study"
)

// TestRestartCost: what is said takes the place of the clock's own, 0 too, and what makes no sense is
// refused by name.
func TestRestartCost(t *testing.T) {
	for text, want := range map[string]time.Duration{"auto": 30 * time.Second, "": 30 * time.Second, "0s": 0, "90s": 90 * time.Second} {
		f, e := &simulateFlags{clockName: "intervals", restartCost: text}, &study.Experiment{}
		if err := f.addScenarios(e, &study.Scenario{}); err != nil || e.RestartCost != want {
			t.Errorf("%q: %v, %v, want %v", text, e.RestartCost, err, want)
		}
	}
	for _, text := range []string{"soon", "-1s", "200h", "0"} {
		f := &simulateFlags{clockName: "intervals", restartCost: text}
		if err := f.addScenarios(&study.Experiment{}, &study.Scenario{}); (err == nil) != (text == "0") || err != nil && !strings.Contains(err.Error(), "--restart-cost") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
