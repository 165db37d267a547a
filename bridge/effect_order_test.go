package bridge

import (
	"testing"
	"time"

	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
)

// TestOrdersThatMoveNothing: a few priorities that administrators set directly
// concern those jobs alone; when nothing we order by has an effect, Slurm does
// not do what we think it does.
func TestOrdersThatMoveNothing(t *testing.T) {
	orders := func(moved, still int, kind slurm.Kind, s ledger.State) (list []ledger.Intent) {
		for i := range moved + still {
			in := ledger.Intent{ID: int64(i + 1), Edit: slurm.Edit{Kind: kind, Value: 9}, State: ledger.Observed, Sent: noon.Add(-time.Minute)}
			if i >= moved {
				in.State, in.Error, in.Polls = s, "not felt", 2
			}
			list = append(list, in)
		}
		return list
	}
	tests := []struct {
		name    string
		intents []ledger.Intent
		open    bool
	}{
		{"all move", orders(20, 0, slurm.SiteFactor, ""), false},
		{"ten of thirty do not", orders(20, 10, slurm.SiteFactor, ledger.Observed), false},
		{"four, all there are", orders(0, 4, slurm.SiteFactor, ledger.Observed), false},
		{"all of twenty do not", orders(0, 20, slurm.SiteFactor, ledger.Observed), true},
		{"nice, ten of thirty", orders(20, 10, slurm.Nice, ledger.Yielded), false},
		{"nice, all of twenty", orders(0, 20, slurm.Nice, ledger.Yielded), true},
	}
	for _, tt := range tests {
		if e := effectOf(tt.intents, noon); e.open != tt.open {
			t.Errorf("%s: open %v, want %v", tt.name, e.open, tt.open)
		}
	}
}
