package cycle_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/bridge/slurm"
	"fairbridge/replica/sim"
)

// many brings a rig with cycles of the length to where the jobs of many people
// wait, warm and with nothing sent.
func many(t *testing.T, interval time.Duration, lever bridge.Lever, n int) (r *rig, ids []int64) {
	r = newRig(t, bridge.ModeRank, "drf", nil)
	r.conf.Interval, r.conf.LeaderTTL, r.conf.Order.Lever = interval, time.Hour, lever
	r.conf.Budgets.EditFloor = 100
	r.conf.Budgets.EditRate = 100
	r.restart()
	r.full("")
	for i := range n {
		ids = append(ids, r.submit(sim.JobSpec{User: fmt.Sprint("u", i%8), Account: "y", GPUs: 8}))
	}
	return r, ids
}

// unanswered counts the intents whose outcome is not known.
func (r *rig) unanswered() int { return r.inState(bridge.IntentUnknown) }

// TestPushingResumesSoonAfterWritesWorkAgain: writes fail without an answer, done
// or not, for 16 seconds or for ten minutes. Within 30 seconds after they work
// again everything is sent, and no breaker is open.
func TestPushingResumesSoonAfterWritesWorkAgain(t *testing.T) {
	unclear := func(slurm.Edit) error {
		return &slurm.Error{Class: slurm.ErrorOutcomeUnknown, HTTPStatus: 500, Text: "Internal Server Error"}
	}
	reset := func(slurm.Edit) error {
		return &slurm.Error{Class: slurm.ErrorOutcomeUnknown, Err: errors.New("connection reset")}
	}
	for _, tt := range []struct {
		name     string
		interval time.Duration
		failing  time.Duration
		arm      func(*wire)
	}{
		{"HTTP 500 for 16 s", 2 * time.Second, 16 * time.Second, func(w *wire) { w.answer = unclear }},
		{"answers lost for 16 s", 2 * time.Second, 16 * time.Second, func(w *wire) { w.lost = reset }},
		{"HTTP 500 for a cycle", 30 * time.Second, 30 * time.Second, func(w *wire) { w.answer = unclear }},
		{"HTTP 500 for ten minutes", 30 * time.Second, 10 * time.Minute, func(w *wire) { w.answer = unclear }},
		{"refused for ten minutes", 30 * time.Second, 10 * time.Minute, func(w *wire) {
			w.answer = func(slurm.Edit) error { return &slurm.Error{Class: slurm.ErrorUnreachable, Text: "connection refused"} }
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, ids := many(t, tt.interval, bridge.LeverSiteFactor, 24)
			r.cycles(2)
			tt.arm(r.wire)
			n := int(tt.failing / tt.interval)
			r.cycles(n)
			if calls := len(r.wire.applied); calls > 3+n {
				t.Errorf("%d calls in %d cycles while they failed: three, then one a cycle", calls, n)
			}
			r.wire.answer, r.wire.lost = nil, nil
			within := int(30 * time.Second / tt.interval)
			last := r.cycles(within)
			if len(last.Doubts) > 0 || r.unanswered() > 0 {
				t.Errorf("%d cycles later: %v, %d unanswered", within, last.Doubts, r.unanswered())
			}
			r.cycles(1)
			if n := r.standing(); n < len(ids)-1 { // the last in line may need none
				t.Errorf("%d of %d values stand", n, len(ids))
			}
			if last := r.cycles(2 * within); len(last.Doubts) > 0 {
				t.Errorf("later: %v", last.Doubts)
			}
		})
	}
}

// TestAnEarlierLeadersEditsAreNotSentAgain: its calls without an answer are waited for, and are no reason for the one
// that leads now to end a push.
func TestAnEarlierLeadersEditsAreNotSentAgain(t *testing.T) {
	r, _ := many(t, 30*time.Second, bridge.LeverSiteFactor, 6)
	r.cycles(2)
	r.wire.answer = func(slurm.Edit) error {
		return &slurm.Error{Class: slurm.ErrorOutcomeUnknown, Text: "Internal Server Error"}
	}
	r.cycles(1)
	old := r.wire.applied
	if r.wire.answer = nil; r.unanswered() != 3 {
		t.Fatalf("%d calls are without an answer: %v", r.unanswered(), old)
	}
	if err := r.db.Resign(t.Context(), "lab", r.conf.DaemonName); err != nil {
		t.Fatal(err)
	}
	r.conf.DaemonName = "test:2"
	r.restart()
	for range 6 { // three minutes: longer the calls are not waited for
		if last := r.cycles(1); len(last.Doubts) > 0 {
			t.Errorf("in doubt: %v", last.Doubts)
		}
	}
	now := r.wire.applied[len(old):]
	for _, e := range now {
		for _, o := range old {
			if e.Run == o.Run {
				t.Errorf("sent again: %v", e)
			}
		}
	}
	if len(now) == 0 {
		t.Error("the new leader sent nothing at all")
	}
}

// TestAYesWithoutEffectStopsUntilATryHasIt: Slurm says yes and does nothing. Then
// one edit at a time is tried, less and less often, and all goes on once three
// had their effect.
func TestAYesWithoutEffectStopsUntilATryHasIt(t *testing.T) {
	r, ids := many(t, 30*time.Second, bridge.LeverPriority, 24)
	r.cycles(2)
	r.wire.deaf = true
	last := r.cycles(4)
	if last.Result != cycle.ResultInDoubt || last.Doubts[0].Cause != bridge.CauseNoEffect {
		t.Fatalf("%s %v", last.Result, last.Doubts)
	}
	sent := len(r.wire.applied)
	r.cycles(40)
	if tries := len(r.wire.applied) - sent; tries < 2 || tries > 8 {
		t.Errorf("%d tries in 20 minutes without effect", tries)
	}
	r.wire.deaf = false
	cycles := 0
	for last = r.cycles(1); len(last.Doubts) > 0 && cycles < 40; last = r.cycles(1) {
		cycles++
	}
	t.Logf("in doubt for %d cycles after it works again", cycles)
	if cycles > 26 { // ten minutes to the next try, three tries
		t.Errorf("in doubt for %d cycles after it works again", cycles)
	}
	r.cycles(3)
	if n := r.standing(); n < len(ids)-1 { // the last in line may need none
		t.Errorf("%d of %d values stand", n, len(ids))
	}
}

// TestOnePersonsEditsSilenceNobodyElse: a person changes what we set on many of
// his jobs. All of his are left alone, everybody else's are ordered as before.
func TestOnePersonsEditsSilenceNobodyElse(t *testing.T) {
	r, ids := many(t, 30*time.Second, bridge.LeverPriority, 48)
	r.cycles(5)
	if n := r.standing(); n < len(ids)-1 { // the last in line may need none
		t.Fatalf("%d values stand", n)
	}
	for _, id := range ids {
		if j := r.job(id); j.User == "u0" {
			low := int64(1000)
			if err := r.w.Update(sim.OperatorUser, id, sim.JobUpdate{Priority: &low}); err != nil {
				t.Fatal(err)
			}
		}
	}
	last := r.cycles(1)
	if len(last.Doubts) > 0 || len(last.Warnings) != 1 || !strings.Contains(last.Warnings[0].Err.Error(), "u0") {
		t.Errorf("doubts %v, warnings %v", last.Doubts, last.Warnings)
	}
	his := r.submit(sim.JobSpec{User: "u0", Account: "y", GPUs: 8})
	other := r.submit(sim.JobSpec{User: "u1", Account: "z", GPUs: 8})
	sent := len(r.wire.applied)
	r.cycles(3)
	reached := map[int64]bool{}
	for _, e := range r.wire.applied[sent:] {
		if j := r.job(e.Run.Job); j.User == "u0" {
			t.Errorf("sent %v to a job of his", e)
		}
		reached[e.Run.Job] = true
	}
	if !reached[other] || reached[his] {
		t.Errorf("sent to %v; want to job %d and not to %d", reached, other, his)
	}
	r.w.Advance(r.w.Now().Add(time.Hour))
	r.cycles(4)
	if last := r.cycles(1); len(last.Warnings) > 0 {
		t.Errorf("an hour later: %v", last.Warnings)
	}
}

// TestManyPeoplesJobsChangedStopTheSite: somebody changes what we set on the jobs
// of everybody.
func TestManyPeoplesJobsChangedStopTheSite(t *testing.T) {
	r, ids := many(t, 30*time.Second, bridge.LeverPriority, 24)
	r.cycles(5)
	for _, id := range ids[:8] {
		low := int64(1000)
		if err := r.w.Update(sim.OperatorUser, id, sim.JobUpdate{Priority: &low}); err != nil {
			t.Fatal(err)
		}
	}
	if last := r.cycles(1); last.Result != cycle.ResultInDoubt || last.Doubts[0].Cause != bridge.CauseForeignChanges || !strings.Contains(last.Doubts[0].Err.Error(), "8 of the 8 people") {
		t.Errorf("%s %v", last.Result, last.Doubts)
	}
}
