package stores

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/bridge/slurm"
	"fairbridge/replica/sim"
)

// TestADatabaseThatIsGone: nothing is sent, and the doubt says why.
func TestADatabaseThatIsGone(t *testing.T) {
	d := fresh(t)
	s := newSite(t, newWorld(t), d, bridge.ModeRank, "drf")
	s.full("")
	s.wait(2)
	d.Close()
	if last := s.cycles(5); last.Result != cycle.ResultInDoubt || last.Doubts[0].Cause != bridge.CauseLeaderUnknown || len(s.sent) > 0 {
		t.Errorf("%s, doubts %v, sent %v", last.Result, last.Doubts, s.sent)
	}
}

// TestADatabaseThatDiesBetweenStatements: it is gone when the first call is answered.
// Nothing more is sent then. A daemon on the database that is back finds the call in
// the ledger, and requeues no run twice.
func TestADatabaseThatDiesBetweenStatements(t *testing.T) {
	d := fresh(t)
	s := newSite(t, newWorld(t), d, bridge.ModePreempt, "tiresias")
	s.full("fairbridge:preemptible,ckpt=10s")
	s.forward(2 * time.Hour)
	s.wait(2)
	s.answer = func(slurm.Edit) error {
		d.Close()
		return nil
	}
	last := s.cycles(6)
	if len(s.sent) != 1 || last.Result != cycle.ResultInDoubt {
		t.Fatalf("%s after its death, sent %v", last.Result, s.sent)
	}
	s.store, s.answer = open(t, d.Config().ConnString()), nil
	if n := s.ledger(); n[bridge.IntentSent] != 1 {
		t.Errorf("the ledger has %v, want one SENT", n)
	}
	s.restart()
	s.cycles(30)
	runs := map[slurm.Run]int{}
	for _, e := range s.kind(slurm.EditRequeue) {
		if runs[e.Run]++; runs[e.Run] > 1 {
			t.Errorf("run %v was requeued twice", e.Run)
		}
	}
	if n := s.ledger(); len(runs) == 0 || n[bridge.IntentSent] > 0 {
		t.Errorf("%d runs were requeued, the ledger has %v", len(runs), n)
	}
}

// killed is a journal whose daemon is killed before it sends.
type killed struct{ bridge.Journal }

var errKilled = errors.New("killed")

func (killed) UpdateIntent(context.Context, bridge.Intent) error { return errKilled }

// TestPlannedRowsAreFoundAfterAKill: what was intended and not sent is void, and is
// intended anew.
func TestPlannedRowsAreFoundAfterAKill(t *testing.T) {
	d := fresh(t)
	s := newSite(t, newWorld(t), d, bridge.ModeRank, "drf")
	s.full("")
	s.wait(4)
	s.loop = s.daemon(killed{d})
	for range 5 {
		if s.cycles(1); s.ledger()[bridge.IntentPlanned] > 0 {
			break
		}
	}
	planned := s.ledger()[bridge.IntentPlanned]
	if planned == 0 || len(s.sent) > 0 {
		t.Fatalf("%d PLANNED, sent %v", planned, s.sent)
	}
	s.restart()
	s.cycles(5)
	if n := s.ledger(); n[bridge.IntentPlanned] > 0 || n[bridge.IntentVoid] < planned || n[bridge.IntentObserved] == 0 || len(s.sent) == 0 {
		t.Errorf("the ledger has %v, sent %v", n, s.sent)
	}
}

// TestTwoDaemonsOnOneRow: one stands by while the other leads. When leadership goes
// to it in the middle of a push, the first sends no more.
func TestTwoDaemonsOnOneRow(t *testing.T) {
	d := fresh(t)
	s := newSite(t, newWorld(t), d, bridge.ModeRank, "drf")
	s.full("")
	s.wait(4)
	first := s.loop
	if rep := first.Step(t.Context()); rep.Result == cycle.ResultStandby {
		t.Fatal("the first daemon does not lead")
	}
	s.conf.DaemonName = "test:2"
	s.restart()
	if rep := s.loop.Step(t.Context()); rep.Result != cycle.ResultStandby || rep.LeaderName != "test:1" {
		t.Errorf("the second daemon: %s, leader %q", rep.Result, rep.LeaderName)
	}
	s.answer = func(slurm.Edit) error {
		must(t, d.Resign(t.Context(), "lab", "test:1"))
		_, _, leads, err := d.Lead(t.Context(), "lab", "test:2", time.Hour)
		if err != nil || !leads {
			t.Errorf("the second does not lead: %v", err)
		}
		return nil
	}
	second := s.loop
	s.loop = first
	if s.cycles(5); len(s.sent) != 1 {
		t.Errorf("sent %v after another led", s.sent)
	}
	s.loop, s.answer = second, nil
	if s.cycles(6); len(s.sent) < 2 {
		t.Errorf("the second sent %v", s.sent[1:])
	}
}

// TestADatabaseThatWasPutBack: a requeue was sent and its answer lost, and then the
// database is put back to before. It is not sent again to the same run, and nothing
// else is sent while what was sent may still be carried out.
func TestADatabaseThatWasPutBack(t *testing.T) {
	d := fresh(t)
	s := newSite(t, newWorld(t), d, bridge.ModePreempt, "tiresias")
	s.full("fairbridge:preemptible,ckpt=10s")
	s.forward(2 * time.Hour)
	s.wait(1)
	s.answer = func(e slurm.Edit) error {
		if e.Kind == slurm.EditRequeue {
			return &slurm.Error{Class: slurm.ErrorOutcomeUnknown, Err: errors.New("the connection broke")}
		}
		return nil
	}
	before := s.World.Now()
	for range 8 {
		if s.cycles(1); len(s.kind(slurm.EditRequeue)) > 0 {
			break
		}
	}
	for _, q := range []string{"delete from fairbridge.intents where made >= $1", "delete from fairbridge.cycles where at >= $1"} {
		_, err := d.Exec(t.Context(), q, before)
		must(t, err)
	}
	sent := len(s.sent)
	for range 9 { // 4:30
		if last := s.cycles(1); len(s.sent) > sent || len(last.Doubts) == 0 || last.Result != cycle.ResultInDoubt {
			t.Fatalf("%d calls, %s, doubts %v", len(s.sent)-sent, last.Result, last.Doubts)
		}
	}
	s.cycles(30)
	runs := map[slurm.Run]int{}
	for _, e := range s.kind(slurm.EditRequeue) {
		if runs[e.Run]++; runs[e.Run] > 1 {
			t.Errorf("run %v was requeued twice", e.Run)
		}
	}
	if last := s.cycles(1); len(last.Doubts) > 0 || len(runs) == 0 {
		t.Errorf("still in doubt: %v; sent %v", last.Doubts, s.sent)
	}
}

// TestAllClocksWrongTogether: what was dated by a clock that was ahead is believed
// then, and no longer once it is put right.
func TestAllClocksWrongTogether(t *testing.T) {
	d := fresh(t)
	s := newSite(t, newWorld(t), d, bridge.ModeRank, "drf")
	s.submit(sim.JobSpec{User: "ann", Account: "x", GPUs: 8, WorkTime: time.Hour, TimeLimit: 2 * time.Hour})
	s.cycles(3)
	s.ahead = 30 * 24 * time.Hour
	if last := s.cycles(3); len(last.Doubts) > 0 {
		t.Fatalf("with all clocks ahead: %v", last.Doubts)
	}
	s.ahead = 0
	if last := s.cycles(1); last.Result != cycle.ResultInDoubt || !strings.Contains(last.Doubts[0].Err.Error(), "still to come") {
		t.Errorf("the moment it is put right: %s %v", last.Result, last.Doubts)
	}
	if last := s.cycles(150); len(last.Doubts) > 0 {
		t.Errorf("afterwards: %v", last.Doubts)
	}
	past, err := d.Past(t.Context(), "lab", s.World.Now())
	must(t, err)
	if used := float64(past.Users[0].UsedService) / 3600; math.Abs(used-8) > 0.2 {
		t.Errorf("%.2f GPU-hours on the books, the job had 8.00", used)
	}
}
