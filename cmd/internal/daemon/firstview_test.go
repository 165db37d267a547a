package daemon

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"fairbridge/bridge"
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
// again when it failed.
func TestSharesAreStoredBeforeTheFirstView(t *testing.T) {
	r, fails := &recorder{}, true
	f := &firstView{History: r, log: slog.New(slog.DiscardHandler), seen: make(chan struct{}), atFirst: func(context.Context) error {
		if fails {
			return errors.New("no database")
		}
		r.done = append(r.done, "shares")
		return nil
	}}
	for i := range 4 {
		fails = i == 0
		if err := f.RecordView(t.Context(), &slurm.View{}); err != nil {
			t.Fatal(err)
		}
		<-f.seen
	}
	want := []string{"view", "shares", "view", "view", "view"}
	if len(r.done) != len(want) || r.done[0] != "view" || r.done[1] != "shares" {
		t.Errorf("%v, want %v", r.done, want)
	}
}
