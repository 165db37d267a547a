package cycle

import (
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
)

// TestOrdersThatMoveNothing: a few priorities that administrators set directly
// concern those jobs alone; when nothing we order by has an effect, Slurm does
// not do what we think it does.
func TestOrdersThatMoveNothing(t *testing.T) {
	orders := func(moved, still int, kind slurm.EditKind, s bridge.IntentState) (list []bridge.Intent) {
		for i := range moved + still {
			in := bridge.Intent{ID: int64(i + 1), Edit: slurm.Edit{Kind: kind, Value: 9}, State: bridge.IntentObserved, Sent: noon.Add(-time.Minute)}
			if i >= moved {
				in.State, in.Error, in.Polls = s, "not felt", 2
			}
			list = append(list, in)
		}
		return list
	}
	tests := []struct {
		name    string
		intents []bridge.Intent
		open    bool
	}{
		{"all move", orders(20, 0, slurm.EditSiteFactor, ""), false},
		{"ten of thirty do not", orders(20, 10, slurm.EditSiteFactor, bridge.IntentObserved), false},
		{"four, all there are", orders(0, 4, slurm.EditSiteFactor, bridge.IntentObserved), false},
		{"all of twenty do not", orders(0, 20, slurm.EditSiteFactor, bridge.IntentObserved), true},
		{"nice, ten of thirty", orders(20, 10, slurm.EditNice, bridge.IntentYielded), false},
		{"nice, all of twenty", orders(0, 20, slurm.EditNice, bridge.IntentYielded), true},
	}
	for _, tt := range tests {
		if e := newEffectBreaker(tt.intents, noon); e.isOpen != tt.open {
			t.Errorf("%s: open %v, want %v", tt.name, e.isOpen, tt.open)
		}
	}
}
