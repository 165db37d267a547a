package cycle_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
	"fairbridge/replica/sim"
)

func TestFaultsLeadToDoubtNotToPushes(t *testing.T) {
	tests := map[string]struct {
		break_ func(r *rig)
		heal   func(r *rig)
		cause  bridge.Cause
	}{
		"slurm down": {
			func(r *rig) { r.wire.observe = &slurm.Error{Class: slurm.ErrorUnreachable, Text: "connection refused"} },
			func(r *rig) { r.wire.observe = nil }, "slurm",
		},
		"another cluster": {
			func(r *rig) { r.conf.ClusterName = "elsewhere"; r.restart() },
			func(r *rig) { r.conf.ClusterName = "lab"; r.restart() }, "slurm",
		},
		"policy panics": {
			func(r *rig) { r.conf.Partitions[0].DecidingPolicy = broken{}; r.restart() }, nil, "policy",
		},
		"database gone": {
			func(r *rig) { r.db.InjectError = gone("") }, func(r *rig) { r.db.InjectError = nil }, "leader",
		},
	}
	for call, cause := range map[string]bridge.Cause{"Clock": "history", "RecordView": "history", "Past": "history", "Memo": "history", "Intents": "journal", "StoreIntents": "journal"} {
		f := tests["database gone"]
		f.break_, f.cause = func(r *rig) { r.db.InjectError = gone(call) }, cause
		if call == "StoreIntents" {
			f.heal = nil // it stays warm
		}
		tests["database gone for "+call] = f
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, bridge.ModeRank, "drf", nil)
			r.full("")
			r.submit(sim.JobSpec{User: "new", Account: "y", GPUs: 8})
			r.submit(sim.JobSpec{User: "new", Account: "y", GPUs: 8})
			tt.break_(r)
			last := r.cycles(5)
			if last.Result != cycle.ResultInDoubt || last.Doubts[0].Cause != tt.cause || len(r.wire.applied) > 0 {
				t.Fatalf("%s, doubts %v, sent %v", last.Result, last.Doubts, r.wire.applied)
			}
			if n := strings.Count(r.log.String(), "in doubt"); n != 1 {
				t.Errorf("%d log lines about it, want one:\n%s", n, r.log.String())
			}
			if tt.heal == nil {
				return
			}
			tt.heal(r)
			r.cycles(2)
			if len(r.wire.applied) > 0 {
				t.Error("sent something before it was warm again")
			}
			r.cycles(1)
			if len(r.wire.applied) == 0 {
				t.Errorf("nothing sent after healing; log:\n%s", r.log.String())
			}
		})
	}
}

// gone is a database that does not answer a call; "": any.
func gone(call string) func(string) error {
	return func(name string) error {
		if call == "" || call == name {
			return errors.New("connection refused")
		}
		return nil
	}
}

func TestClocksApartSendNothing(t *testing.T) {
	r := newRig(t, bridge.ModeRank, "drf", nil)
	r.full("")
	r.submit(sim.JobSpec{User: "new", Account: "y", GPUs: 8})
	parts := r.parts()
	parts.Now = func() time.Time { return r.w.Now().Add(time.Minute) }
	l, err := cycle.New(r.conf, parts)
	if err != nil {
		t.Fatal(err)
	}
	r.loop = l
	last := r.cycles(5)
	if len(r.wire.applied) > 0 || last.Result != cycle.ResultInDoubt || last.Doubts[0].Cause != bridge.CauseUnbelievedView {
		t.Errorf("with clocks a minute apart: %s, doubts %v, sent %v", last.Result, last.Doubts, r.wire.applied)
	}
}

type broken struct{}

func (broken) Decide(*policy.Snapshot) (*policy.Plan, error) { panic("planted") }

func TestAnAnswerThatIsLostIsNotSentAgain(t *testing.T) {
	r := newRig(t, bridge.ModePreempt, "tiresias", nil)
	r.full("fairbridge:preemptible,ckpt=10s")
	r.w.Advance(r.w.Now().Add(2 * time.Hour))
	r.submit(sim.JobSpec{User: "new", Account: "y", GPUs: 8, WorkTime: 10 * time.Minute, TimeLimit: 30 * time.Minute})
	r.wire.lost = func(e slurm.Edit) error {
		if e.Kind == slurm.EditRequeue {
			return &slurm.Error{Class: slurm.ErrorOutcomeUnknown, Err: errors.New("connection reset")}
		}
		return nil
	}
	r.cycles(12)
	if n := r.kinds()[slurm.EditRequeue]; n != 1 {
		t.Errorf("%d requeues sent, want one; log:\n%s", n, r.log.String())
	}
}

func TestRepeatedRefusalsEndThePush(t *testing.T) {
	r := newRig(t, bridge.ModeRank, "drf", nil)
	r.full("")
	for range 8 {
		r.submit(sim.JobSpec{User: "new", Account: "y", GPUs: 8})
	}
	r.wire.answer = func(slurm.Edit) error {
		return &slurm.Error{Class: slurm.ErrorForbidden, Text: "access denied", Number: 2002}
	}
	r.cycles(2)
	last := r.cycles(1)
	if len(r.wire.applied) != 3 || last.Result != cycle.ResultInDoubt {
		t.Errorf("%d calls after each was refused, want 3; %s", len(r.wire.applied), last.Result)
	}
}
