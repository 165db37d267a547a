package push

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
	"fairbridge/gear/bridgetest"
)

type twoCalls struct {
	bridge.Cluster
	finished []slurm.Edit
	err      error
}

func (d *twoCalls) FinishHandBacks(_ context.Context, begun []slurm.Edit) error {
	d.finished = append(d.finished, begun...)
	return d.err
}

func (d *twoCalls) HandBack(ctx context.Context, _ slurm.Edit, held func(context.Context) error) error {
	return errors.Join(held(ctx), d.err)
}

// TestOnlyWhatIsProvablyOursIsReleased.
func TestOnlyWhatIsProvablyOursIsReleased(t *testing.T) {
	ours, perhaps := ledger.UnfinishedHandBack{Run: slurm.Run{Job: 7}, Ours: true}, ledger.UnfinishedHandBack{Run: slurm.Run{Job: 8}}
	d := &twoCalls{}
	if err := FinishHandBacks(t.Context(), d, []ledger.UnfinishedHandBack{ours, perhaps}); err != nil || len(d.finished) != 1 || d.finished[0].Run.Job != 7 {
		t.Errorf("finished %v (%v), want job 7 alone", d.finished, err)
	}
	d = &twoCalls{err: errors.New("no answer")}
	if err := FinishHandBacks(t.Context(), d, []ledger.UnfinishedHandBack{perhaps}); err != nil {
		t.Errorf("with nothing of ours: %v", err)
	}
	if err := FinishHandBacks(t.Context(), d, []ledger.UnfinishedHandBack{ours}); err == nil || !strings.Contains(err.Error(), "scontrol release") {
		t.Errorf("one that cannot be finished: %v", err)
	}
}

// TestTheHoldIsWrittenDownBeforeTheRelease.
func TestTheHoldIsWrittenDownBeforeTheRelease(t *testing.T) {
	j := bridgetest.NewWaitingJob()
	log := &diary{job: j}
	p := Pusher{Ports: Ports{Journal: log, Now: func() time.Time { return noon }}}
	in := bridge.Intent{Edit: slurm.Edit{Run: j.CurrentRun(), Kind: slurm.EditHandBackPriority}, State: bridge.IntentSent}
	d := &twoCalls{err: errors.New("killed")}
	if err := p.sendHandBack(t.Context(), d, &in); err == nil || !in.Before.HeldByUsAt.Equal(noon) || len(log.lines) != 1 {
		t.Errorf("held %v, marked %v: %v", in.Before.HeldByUsAt, log.lines, err)
	}
}
