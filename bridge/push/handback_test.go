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
)

type debtor struct {
	bridge.Cluster
	owed []slurm.Run
	err  error
}

func (d *debtor) Owe(r slurm.Run, _ int64) { d.owed = append(d.owed, r) }

func (d *debtor) Pay(context.Context) error { return d.err }

func (d *debtor) HandBack(ctx context.Context, _ slurm.Edit, held func(context.Context) error) error {
	return errors.Join(held(ctx), d.err)
}

// TestOnlyWhatIsProvablyOursIsReleased.
func TestOnlyWhatIsProvablyOursIsReleased(t *testing.T) {
	ours, perhaps := ledger.Debt{Run: slurm.Run{Job: 7}, Ours: true}, ledger.Debt{Run: slurm.Run{Job: 8}}
	d := &debtor{}
	if err := PayDebts(t.Context(), d, []ledger.Debt{ours, perhaps}); err != nil || len(d.owed) != 1 || d.owed[0].Job != 7 {
		t.Errorf("owes %v (%v), want job 7 alone", d.owed, err)
	}
	d = &debtor{err: errors.New("no answer")}
	if err := PayDebts(t.Context(), d, []ledger.Debt{perhaps}); err != nil {
		t.Errorf("with nothing of ours: %v", err)
	}
	if err := PayDebts(t.Context(), d, []ledger.Debt{ours}); err == nil || !strings.Contains(err.Error(), "scontrol release") {
		t.Errorf("a debt that cannot be paid: %v", err)
	}
}

// TestTheHoldIsWrittenDownBeforeTheRelease.
func TestTheHoldIsWrittenDownBeforeTheRelease(t *testing.T) {
	j := waitingJob()
	log := &diary{job: j}
	p := Pusher{Ports: Ports{Journal: log, Now: func() time.Time { return noon }}}
	in := bridge.Intent{Edit: slurm.Edit{Run: j.Run(), Kind: slurm.HandBack}, State: bridge.Sent}
	d := &debtor{err: errors.New("killed")}
	if err := p.handBack(t.Context(), d, &in); err == nil || !in.Before.Held.Equal(noon) || len(log.lines) != 1 {
		t.Errorf("held %v, marked %v: %v", in.Before.Held, log.lines, err)
	}
}
