// Package operators_test tries the loop with what operators do.
package operators_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
)

// TestAReleasedJobIsLeftAlone: its order number and its lease are given back by the next cycles, nothing of ours
// comes back while it is left alone, the record says why, other jobs go on, and it ends by itself.
func TestAReleasedJobIsLeftAlone(t *testing.T) {
	s, small := leasedSite(t)

	left := small[0]
	if n := len(s.standing()[left]); n < 2 {
		t.Fatalf("%d values of ours stand in the job before: %v", n, s.standing())
	}
	s.act(bridge.OperatorRelease, left, 2*time.Minute)
	r := s.cycles(2)
	if now := s.standing(); len(now[left]) > 0 || len(now[small[1]]) < 2 {
		t.Errorf("after two cycles there stand %v", now)
	}
	refused := slices.ContainsFunc(s.db.LastCycle("gpu").Refused, func(x bridge.Refusal) bool {
		return int64(x.Job) == left && strings.Contains(x.Why, "left alone until") && strings.Contains(x.Why, "by oper: So it is.")
	})
	if !refused || len(r.Doubts) > 0 {
		t.Errorf("doubts %v; the record does not say why: %v", r.Doubts, s.db.LastCycle("gpu").Refused)
	}
	s.record.err = errAway // what was known stands
	if r := s.cycles(2); len(s.standing()[left]) > 0 || len(r.Warnings) == 0 || len(r.Doubts) > 0 {
		t.Errorf("while nobody answers: %v stand, warnings %v, doubts %v", s.standing()[left], r.Warnings, r.Doubts)
	}
}

// TestLeavingAloneEndsByItself: what waits on is ordered again.
func TestLeavingAloneEndsByItself(t *testing.T) {
	s, small := leasedSite(t)
	big := small[0] - 1
	s.act(bridge.OperatorRelease, big, 2*time.Minute)
	if s.cycles(3); len(s.standing()[big]) > 0 {
		t.Errorf("there stand %v", s.standing()[big])
	}
	if s.cycles(12); len(s.standing()[big]) == 0 {
		t.Error("its time has come, and nothing is sent to it again")
	}
}

// TestAStopStandsUntilResume: nothing is sent from the next cycle on, whoever leads, and at once where it was
// asked for; resumed, the loop goes on.
func TestAStopStandsUntilResume(t *testing.T) {
	s, _ := leasedSite(t)
	s.cycles(3)
	calls := 0
	s.onSend = func() { // in the middle of a push
		if calls++; calls == 1 {
			s.sw.Stop(s.act(bridge.OperatorStop, 0, 0).ID)
		}
	}
	s.submit("new", 8, time.Hour)
	s.submit("newer", 8, 2*time.Hour)
	s.cycles(3)
	if calls != 1 {
		t.Fatalf("%d calls were made after the stop", calls-1)
	}
	s.restart()
	if r := s.cycles(5); calls != 1 || len(r.Doubts) != 1 || r.Doubts[0].Cause != bridge.CauseStopFile || !strings.Contains(r.Doubts[0].Err.Error(), "stopped by oper") {
		t.Errorf("a new daemon: %d calls, doubts %v", calls, r.Doubts)
	}
	if s.loop.CheckMayPush(t.Context()) == nil {
		t.Error("a new daemon may call")
	}
	s.record.actions = nil
	if r := s.cycles(2); calls == 1 || len(r.Doubts) > 0 {
		t.Errorf("resumed: %d calls, doubts %v", calls, r.Doubts)
	}
}

// TestTheSwitchIsTurnedOffByTheRecordOnly: by a reading that was begun after it was turned on.
func TestTheSwitchIsTurnedOffByTheRecordOnly(t *testing.T) {
	s, _ := leasedSite(t)
	s.cycles(3)
	s.sw.Stop(7) // resumed through another daemon, before this one's next cycle
	s.record.err = errAway
	if s.cycles(2); s.sw.Check() == nil {
		t.Error("silence turned it off")
	}
	s.record.err = nil
	if s.cycles(1); s.sw.Check() != nil {
		t.Error("nothing stands, and it is on")
	}
}

// TestWhatIsNotKnownIsADoubt: a daemon that has not read what operators did sends nothing.
func TestWhatIsNotKnownIsADoubt(t *testing.T) {
	s, _ := leasedSite(t)
	s.record.err, s.sent = errAway, nil
	s.restart()
	r := s.cycles(5)
	if has := slices.ContainsFunc(r.Doubts, func(d bridge.Doubt) bool { return d.Cause == bridge.CauseOperatorActions }); !has || len(s.sent) > 0 {
		t.Errorf("sent %v, doubts %v", s.sent, r.Doubts)
	}
}

// TestOneChangeIsUndone: the lease goes, the order number stays, and no other is written.
func TestOneChangeIsUndone(t *testing.T) {
	s, small := leasedSite(t)

	in := s.changeOf(small[0], slurm.FieldBeginTime)
	v, err := s.Observe(t.Context())
	check(t, err)
	if why := ledger.WhyNotUndone(in.ID, s.intents(), v); why != "" {
		t.Fatalf("it cannot be undone: %s", why)
	}
	s.act(bridge.OperatorUndo, small[0], time.Hour).Change = in.ID
	s.cycles(2)
	j, err := s.World.Job(small[0])
	check(t, err)
	kept := slices.ContainsFunc(s.standing()[small[0]], func(e slurm.Edit) bool { return e.Kind == slurm.EditSiteFactor })
	if j.EligibleTime.After(s.World.Now()) || j.IsPending() && !kept {
		t.Errorf("it may start at %v, now is %v; there stand %v", j.EligibleTime, s.World.Now(), s.standing()[small[0]])
	}
	if why := ledger.WhyNotUndone(in.ID, s.intents(), v); why == "" {
		t.Error("it can be undone again")
	}
}

// TestALoweredModeGivesBackWhatItDoesNotAllow: in mode rank leases go and the order stays, in mode observe all goes;
// of the guard's demotion and the operator's the lower one counts.
func TestALoweredModeGivesBackWhatItDoesNotAllow(t *testing.T) {
	s, small := leasedSite(t)

	s.record.demotions = []bridge.Demotion{{Partition: "gpu", Mode: bridge.ModeRank, Action: 1, By: "oper", Why: "So it is."}}
	r := s.cycles(3)
	kinds := map[slurm.EditKind]int{}
	for _, edits := range s.standing() {
		for _, e := range edits {
			kinds[e.Kind]++
		}
	}
	if kinds[slurm.EditUnlease] > 0 || kinds[slurm.EditSiteFactor] == 0 || r.PartitionResults[0].Partition.Mode != bridge.ModeRank || len(r.Warnings) != 1 {
		t.Errorf("in mode rank %v can be given back; mode %s, warnings %v", kinds, r.PartitionResults[0].Partition.Mode, r.Warnings)
	}
	s.record.demotions = append(s.record.demotions, bridge.Demotion{Partition: "gpu", By: "guard"})
	if r := s.cycles(4); len(s.standing()) > 0 || r.PartitionResults[0].Partition.Mode != bridge.ModeObserve {
		t.Errorf("demoted besides: mode %s, %v", r.PartitionResults[0].Partition.Mode, s.standing())
	}
	s.record.demotions = nil
	if r := s.cycles(4); len(s.standing()) == 0 || r.PartitionResults[0].Partition.Mode != bridge.ModeSteer {
		t.Errorf("ended: mode %s, %v; %v", r.PartitionResults[0].Partition.Mode, s.standing(), small)
	}
}

// intents are those of the ledger.
func (s *site) intents() []bridge.Intent {
	list, err := s.db.Intents(context.Background(), "lab", s.World.Now(), s.World.Now().Add(-24*time.Hour))
	check(s.t, err)
	return list
}

// changeOf returns the last change of ours of a field of a job.
func (s *site) changeOf(job int64, f slurm.Field) *bridge.Intent {
	s.t.Helper()
	list := s.intents()
	for i := len(list) - 1; i >= 0; i-- {
		if in := &list[i]; in.Edit.Run.Job == job && in.Edit.Kind.Field() == f && in.State == bridge.IntentObserved {
			return in
		}
	}
	s.t.Fatalf("no change of %s of job %d stands", f, job)
	return nil
}
