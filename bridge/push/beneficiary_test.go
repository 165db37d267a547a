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

// twoJobs shows two jobs as they are now.
type twoJobs struct {
	diary
	other    slurm.Job
	otherErr error
}

func (d *twoJobs) RereadJob(ctx context.Context, id int64) (slurm.Job, error) {
	if id == d.other.ID {
		return d.other, d.otherErr
	}
	return d.diary.RereadJob(ctx, id)
}

// TestNoStopForAJobThatCannotStart: the job for which another is stopped is read again right before; what has come between
// since the view keeps the other running.
func TestNoStopForAJobThatCannotStart(t *testing.T) {
	running, waiting := bridgetest.NewWaitingJob(), bridgetest.NewWaitingJob()
	running.State, running.Reason = "RUNNING", ""
	waiting.ID, waiting.Reason = running.ID+1, "Resources"
	for _, tt := range []struct {
		name   string
		change func(*slurm.Job)
		err    error
		beside bool // the view shows the other running too
		why    string
	}{
		{name: "nothing changed", change: func(*slurm.Job) {}},
		{name: "it moved up", change: func(j *slurm.Job) { j.Reason = "Priority" }},
		{name: "a limit", change: func(j *slurm.Job) { j.Reason = "AssocGrpGRES" }, why: "AssocGrpGRES"},
		{name: "its nodes are reserved", change: func(j *slurm.Job) { j.Reason = "ReqNodeNotAvail, May be reserved for other job" }, why: "ReqNodeNotAvail"},
		{name: "held", change: func(j *slurm.Job) { j.IsHeld = true }, why: "it is held"},
		{name: "started", change: func(j *slurm.Job) { j.State = "RUNNING" }, why: "it is RUNNING now"},
		{name: "another run", change: func(j *slurm.Job) { j.Restarts++ }, why: "another run"},
		{name: "another limit", change: func(j *slurm.Job) { j.TimeLimit += time.Minute }, why: "time limit"},
		{name: "not read", change: func(*slurm.Job) {}, err: errors.New("slurmctld does not answer"), why: "slurmctld does not answer"},
		{name: "it shares a GPU", change: func(*slurm.Job) {}, beside: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			was := waiting
			if tt.beside {
				was.State, was.Reason = "RUNNING", ""
			}
			d := &twoJobs{diary: diary{job: running}, other: was, otherErr: tt.err}
			tt.change(&d.other)
			p := Pusher{
				Ports: Ports{Cluster: d, Journal: d, Now: func() time.Time { return noon }},
				View:  &slurm.View{At: noon, Jobs: []slurm.Job{running, was}}, IntentBook: ledger.NewIntentBook(nil),
				CheckMayCall: func(context.Context) error { return nil },
			}
			in := bridge.Intent{ID: 1, Edit: slurm.Edit{Run: running.CurrentRun(), Kind: slurm.EditRequeue}, State: bridge.IntentPlanned}
			in.Before.Stop = &bridge.StopCost{Beneficiary: was.ID}
			out, err := p.Push(t.Context(), []bridge.Intent{in})
			if err != nil {
				t.Fatal(err)
			}
			sent := strings.Contains(strings.Join(d.lines, " "), "apply")
			if sent != (tt.why == "") || !strings.Contains(out[0].Error, tt.why) {
				t.Errorf("sent %v, %s: %q, want %q", sent, out[0].State, out[0].Error, tt.why)
			}
			if tt.why != "" && out[0].State != bridge.IntentVoid {
				t.Errorf("the requeue is %s, want VOID", out[0].State)
			}
		})
	}
}

// TestNoStopBesideOneThatIsNotMade: one of the jobs that were to make room for another runs on.
func TestNoStopBesideOneThatIsNotMade(t *testing.T) {
	running, waiting := bridgetest.NewWaitingJob(), bridgetest.NewWaitingJob()
	running.State, running.Reason = "RUNNING", ""
	waiting.ID, waiting.Reason = running.ID+1, "Resources"
	for _, beneficiary := range []int64{waiting.ID, waiting.ID + 1} {
		d := &twoJobs{diary: diary{job: running}, other: waiting}
		p := Pusher{
			Ports: Ports{Cluster: d, Journal: d, Now: func() time.Time { return noon }},
			View:  &slurm.View{At: noon, Jobs: []slurm.Job{running, waiting}}, IntentBook: ledger.NewIntentBook(nil),
			CheckMayCall: func(context.Context) error { return nil },
		}
		requeue := func(run slurm.Run, to int64) bridge.Intent {
			in := bridge.Intent{Edit: slurm.Edit{Run: run, Kind: slurm.EditRequeue}, State: bridge.IntentPlanned}
			in.Before.Stop = &bridge.StopCost{Beneficiary: to}
			return in
		}
		other := running.CurrentRun()
		other.Restarts++ // which it is not
		both := []bridge.Intent{requeue(other, beneficiary), requeue(running.CurrentRun(), waiting.ID)}
		out, err := p.Push(t.Context(), both)
		if err != nil {
			t.Fatal(err)
		}
		want := bridge.IntentAcked
		if beneficiary == waiting.ID {
			want = bridge.IntentVoid
		}
		if out[1].State != want {
			t.Errorf("first for job %d: the second is %s (%s), want %s", beneficiary, out[1].State, out[1].Error, want)
		}
	}
}
