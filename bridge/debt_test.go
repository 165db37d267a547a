package bridge

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
)

type debtor struct {
	Cluster
	owed []slurm.Run
	err  error
}

func (d *debtor) Owe(r slurm.Run)           { d.owed = append(d.owed, r) }
func (d *debtor) Pay(context.Context) error { return d.err }

func TestAHandBackThatDiedHalfWayIsFinished(t *testing.T) {
	submit := time.Unix(1_800_000_000, 0)
	held := slurm.Job{ID: 7, Submit: submit, State: "PENDING", Held: true, Reason: "JobHeldAdmin"}
	edit := slurm.Edit{Run: held.Run(), Kind: slurm.HandBack}
	tests := []struct {
		name string
		in   ledger.Intent
		job  func(*slurm.Job)
		owed int
	}{
		{"sent, outcome unknown", ledger.Intent{Edit: edit, State: ledger.Sent}, nil, 1},
		{"no answer", ledger.Intent{Edit: edit, State: ledger.Unknown}, nil, 1},
		{"answered: the hold is somebody's", ledger.Intent{Edit: edit, State: ledger.Acked}, nil, 0},
		{"never sent", ledger.Intent{Edit: edit, State: ledger.Planned}, nil, 0},
		{"held by its owner", ledger.Intent{Edit: edit, State: ledger.Sent}, func(j *slurm.Job) { j.Reason = "JobHeldUser" }, 0},
		{"not held", ledger.Intent{Edit: edit, State: ledger.Sent}, func(j *slurm.Job) { j.Held = false }, 0},
		{"another run", ledger.Intent{Edit: edit, State: ledger.Sent}, func(j *slurm.Job) { j.Restarts++ }, 0},
		{"another edit", ledger.Intent{Edit: slurm.Edit{Run: held.Run(), Kind: slurm.Priority}, State: ledger.Sent}, nil, 0},
	}
	for _, tt := range tests {
		j := held
		if tt.job != nil {
			tt.job(&j)
		}
		f := &Facts{Owed: debts([]ledger.Intent{tt.in}, &slurm.View{Jobs: []slurm.Job{j}})}
		d := &debtor{}
		if err := payDebts(t.Context(), d, f); err != nil || len(d.owed) != tt.owed {
			t.Errorf("%s: owes %v (%v), want %d", tt.name, d.owed, err, tt.owed)
		}
	}
	f := &Facts{Owed: []slurm.Run{held.Run()}}
	if err := payDebts(t.Context(), &debtor{err: errors.New("no answer")}, f); err == nil || !strings.Contains(err.Error(), "scontrol release") {
		t.Errorf("a debt that cannot be paid: %v", err)
	}
}
