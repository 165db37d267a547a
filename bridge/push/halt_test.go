package push

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
	"fairbridge/gear/bridgetest"
)

// TestEveryCallIsAllowedFirst: what forbids pushing is looked at before each
// call, so that at most the one under way is still made.
func TestEveryCallIsAllowedFirst(t *testing.T) {
	j := bridgetest.NewWaitingJob()
	e := slurm.Edit{Run: j.CurrentRun(), Kind: slurm.EditSiteFactor, Value: 5}
	in := bridge.Intent{ID: 1, Edit: e, State: bridge.IntentPlanned, Before: ledger.BeforeOfEdit(ledger.NewIntentBook(nil), &j, e, noon)}
	for _, allowed := range []int{0, 1, 2} {
		d, asked := &diary{job: j}, 0
		p := Pusher{
			Ports: Ports{Cluster: d, Journal: d, Now: func() time.Time { return noon }},
			View:  &slurm.View{At: noon, Jobs: []slurm.Job{j}}, IntentBook: ledger.NewIntentBook(nil),
			CheckMayCall: func(context.Context) error {
				if asked++; asked > allowed {
					return ErrPushHalted
				}
				return nil
			},
		}
		_, err := p.Push(t.Context(), []bridge.Intent{in, in, in})
		if sent := strings.Count(strings.Join(d.lines, " "), "apply"); sent != allowed || !errors.Is(err, ErrPushHalted) {
			t.Errorf("%d calls allowed: %d made, %v", allowed, sent, err)
		}
	}
}

func TestMayPush(t *testing.T) {
	stop := filepath.Join(t.TempDir(), "STOP")
	leadership := &election{epoch: 1, held: true}
	s := LeaderLease{TTL: time.Minute, Now: time.Now}
	if _, _, err := s.Acquire(t.Context(), leadership); err != nil {
		t.Fatal(err)
	}
	mayPush := func(ctx context.Context) error { return CheckMayCall(ctx, stop, &s, leadership) }
	if err := mayPush(t.Context()); err != nil {
		t.Errorf("the leader may not push: %v", err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := mayPush(over); err == nil {
		t.Error("a cycle whose time is over may push")
	}
	if err := os.WriteFile(stop, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := mayPush(t.Context()); err == nil || !strings.Contains(err.Error(), stop) {
		t.Errorf("with a STOP file: %v", err)
	}
}
