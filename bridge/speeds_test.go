package bridge_test

import (
	"testing"

	"fairbridge/bridge"
)

func TestRecurringClass(t *testing.T) {
	for _, c := range []struct{ declared, name, want string }{
		{"", "train-7", "counted train-#"}, {"", "train-12", "counted train-#"}, {"", "train", ""}, {"", "12", ""}, {"", "", ""}, {"resnet50", "train-7", ""},
	} {
		if got := bridge.RecurringClass(bridge.SpeedClass(c.declared, c.name)); got != c.want {
			t.Errorf("class %q, name %q: %q, want %q", c.declared, c.name, got, c.want)
		}
	}
}
