package daemon

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"

	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/bridge/slurm"
)

// recorder notes what is recorded.
type recorder struct {
	bridge.History
	done []string
}

func (r *recorder) RecordView(context.Context, *slurm.View) error {
	r.done = append(r.done, "view")
	return nil
}

// TestSharesAreStoredBeforeTheFirstView: not earlier, when the cluster may be another one, and
// again when it failed, or when another daemon led.
func TestSharesAreStoredBeforeTheFirstView(t *testing.T) {
	r, fails := &recorder{}, true
	f := &firstView{History: r, log: slog.New(slog.DiscardHandler), seen: make(chan struct{}), atFirst: func(context.Context) error {
		if fails {
			return errors.New("no database")
		}
		r.done = append(r.done, "shares")
		return nil
	}}
	for i := range 5 {
		fails = i == 0
		if i == 3 { // another daemon led meanwhile
			f.noteCycle(&cycle.Report{Result: cycle.ResultStandby})
		}
		f.noteCycle(&cycle.Report{Result: cycle.ResultNothing})
		if err := f.RecordView(t.Context(), &slurm.View{}); err != nil {
			t.Fatal(err)
		}
		<-f.seen
	}
	want := []string{"view", "shares", "view", "view", "shares", "view", "view"}
	if !slices.Equal(r.done, want) {
		t.Errorf("%v, want %v", r.done, want)
	}
}
