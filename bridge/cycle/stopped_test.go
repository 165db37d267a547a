package cycle_test

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/policy"
	"fairbridge/replica/sim"
)

// acts are what operators did.
type acts struct {
	standing []bridge.OperatorAction
	err      error
}

func (a *acts) StandingActions(context.Context, string) ([]bridge.OperatorAction, error) {
	return a.standing, a.err
}

// TestExpiryHeedsAnOperatorsStop: while an operator stopped us, or it cannot be read whether one did, the timer gives
// nothing back and leaves no sign, however long no daemon leads.
func TestExpiryHeedsAnOperatorsStop(t *testing.T) {
	g := newGuarded(t)
	g.minute()
	id := g.pinned()
	a := &acts{standing: []bridge.OperatorAction{{ID: 1, Kind: bridge.OperatorStop, By: "oper", At: g.w.Now()}}}
	g.x.OperatorActions = a
	for range 12 {
		g.minute()
	}
	a.standing, a.err = nil, errors.New("no answer")
	if _, err := g.x.Run(t.Context()); err == nil {
		t.Error("what operators did could not be read, and nothing is said of it")
	}
	ago, _, err := g.db.TimeSinceExpirerRan(t.Context(), "lab")
	if j := g.job(id); j.RequiredNodes.Text == "" || err != nil || ago < 12*time.Minute {
		t.Errorf("required nodes %q, the last sign was left %v ago: %v", j.RequiredNodes.Text, ago, err)
	}
	a.err = nil
	for range 4 {
		g.minute()
	}
	if j := g.job(id); j.RequiredNodes.Text != "" {
		t.Errorf("resumed, required nodes are still %q", j.RequiredNodes.Text)
	}
}

// interrupted fails, and does something before.
type interrupted struct {
	broken
	before func()
}

func (i interrupted) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	i.before()
	return i.broken.Decide(s)
}

// TestAStopInTheMiddleOfACyclePlansNothing: a policy fails for so long that its pins are due, and the STOP file is
// made while it decides: nothing is given back, nor is anything left in the ledger that was to be.
func TestAStopInTheMiddleOfACyclePlansNothing(t *testing.T) {
	g := newGuarded(t)
	g.minute()
	id := g.pinned()
	g.conf.Partitions[0].DecidingPolicy = interrupted{before: func() { _ = os.WriteFile(g.stops, nil, 0o600) }}
	g.restart()
	for range 8 { // four minutes
		_ = os.Remove(g.stops)
		g.cycles(1)
	}
	if j := g.job(id); j.RequiredNodes.Text == "" || g.inState(bridge.IntentPlanned)+g.inState(bridge.IntentVoid) > 0 {
		t.Errorf("required nodes %q, the ledger has %+v", j.RequiredNodes.Text, g.intents())
	}
}

// TestGivingBackTakesOfTheBudget: what operators want given back, and what plans change, are one budget of changes in
// each cycle (I10), and plans that change much do not keep the former waiting.
func TestGivingBackTakesOfTheBudget(t *testing.T) {
	r := newRig(t, bridge.ModeRank, "srtf", nil)
	ids := r.fillAndWait(24)
	r.cycles(3 + 24/8)
	a := &acts{}
	for _, id := range ids[:12] {
		a.standing = append(a.standing, bridge.OperatorAction{
			Kind: bridge.OperatorRelease,
			Jobs: bridge.JobTarget{Job: id, Submit: r.w.Now().Unix()}, By: "oper", At: r.w.Now(),
		})
	}
	r.conf.Budgets.EditFloor, r.conf.Budgets.EditPercent = 6, 0
	parts := r.parts()
	parts.OperatorActions = a
	var err error
	if r.loop, err = cycle.New(r.conf, parts); err != nil {
		t.Fatal(err)
	}
	for i := range 12 {
		r.submit(sim.JobSpec{User: "v", Account: "z", GPUs: 8, TimeLimit: time.Duration(20+i) * time.Hour})
		before := len(r.wire.applied)
		if r.cycles(1); len(r.wire.applied)-before > 6 {
			t.Errorf("cycle %d: more than 6 changes: %v", i, r.wire.applied[before:])
		}
	}
	v, err := sim.DirectCluster{World: r.w, ShowsSiteFactors: true}.Observe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids[:12] {
		if n := v.Job(id).SiteFactor; n != 0 {
			t.Errorf("12 cycles later the site factor of job %d is still %d", id, n)
		}
	}
}
