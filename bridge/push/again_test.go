package push

import (
	"context"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
	"fairbridge/gear/bridgetest"
)

// answering is a Slurm that answers every edit alike.
type answering struct {
	*diary
	answer error
}

func (a answering) ApplyEdit(context.Context, slurm.Edit) error { return a.answer }

// TestTheFirstCallStaysUnknown: an edit whose first call had no answer is sent once more, and that call fails for
// certain. The first may still be carried out: the intent stays open, and a value of ours is not forgotten.
func TestTheFirstCallStaysUnknown(t *testing.T) {
	for _, class := range []slurm.ErrorClass{
		slurm.ErrorBadRequest, slurm.ErrorForbidden, slurm.ErrorUnreachable, slurm.ErrorJobChanged, slurm.ErrorJobGone,
		slurm.ErrorOutcomeUnknown, "",
	} {
		j := bridgetest.NewWaitingJob()
		d := answering{diary: &diary{job: j}}
		want := bridge.IntentAcked
		if class != "" {
			d.answer, want = &slurm.Error{Class: class}, bridge.IntentUnknown
		}
		p := Pusher{
			Ports:        Ports{Cluster: d, Journal: d, Now: func() time.Time { return noon }},
			CheckMayCall: func(context.Context) error { return nil },
			View:         &slurm.View{At: noon, Jobs: []slurm.Job{j}}, IntentBook: ledger.NewIntentBook(nil),
		}
		e := slurm.Edit{Run: j.CurrentRun(), Kind: slurm.EditSiteFactor, Value: 5}
		done, err := p.Push(t.Context(), []bridge.Intent{{ID: 1, Edit: e, State: bridge.IntentUnknown}})
		if got := done[0]; err != nil || got.State != want || !got.Closed.IsZero() {
			t.Errorf("answered %q: %s, closed %v, %v; want it open and %s", class, got.State, got.Closed, err, want)
		}
	}
}
