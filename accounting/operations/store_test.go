package operations_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"fairbridge/accounting/dbtest"
	"fairbridge/accounting/guard"
	"fairbridge/accounting/operations"
	"fairbridge/accounting/stores"
	"fairbridge/bridge"
)

var must = dbtest.RequireNoError

const clusterName = "c1"

func action(kind bridge.OperatorActionKind) operations.RecordedAction {
	return operations.RecordedAction{OperatorAction: bridge.OperatorAction{Kind: kind, By: "oper", Why: "So it is."}, Origin: "munge", Effect: "Nothing is sent."}
}

// TestActionsStandUntilTheyEnd: by an action that ends them, all or nothing, or by their time; what is over at
// once never stands.
func TestActionsStandUntilTheyEnd(t *testing.T) {
	s := &operations.Store{DB: dbtest.NewDB(t)}
	add := func(a operations.RecordedAction, isOver bool, ends ...int64) operations.RecordedAction {
		t.Helper()
		must(t, s.AddAction(t.Context(), clusterName, &a, isOver, ends))
		return a
	}
	stop := add(action(bridge.OperatorStop), false)
	past := action(bridge.OperatorStop)
	past.Until = time.Now().Add(-time.Minute)
	past = add(past, false)
	release := action(bridge.OperatorRelease)
	release.Jobs, release.Until = bridge.JobTarget{Address: "47_3", Job: 47, IsTask: true, Task: 3, Submit: 99, Restarts: 1}, time.Now().Add(time.Hour).UTC().Truncate(time.Second)
	release = add(release, false)
	got, err := s.StandingActions(t.Context(), clusterName)
	must(t, err)
	if d := cmp.Diff([]bridge.OperatorAction{stop.OperatorAction, release.OperatorAction}, got, cmpopts.EquateApproxTime(0)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}

	resume := action(bridge.OperatorResume)
	if err := s.AddAction(t.Context(), clusterName, &resume, true, []int64{stop.ID, past.ID}); !errors.Is(err, operations.ErrEnded) {
		t.Errorf("ending what has ended: %v", err)
	}
	add(resume, true, stop.ID)
	if got, err = s.StandingActions(t.Context(), clusterName); err != nil || len(got) != 1 || got[0].ID != release.ID {
		t.Errorf("resumed: %+v, %v", got, err)
	}
	all, err := s.ListActions(t.Context(), clusterName, 0, 10)
	must(t, err)
	if len(all) != 4 || all[0].Kind != bridge.OperatorResume || all[0].Stands || !all[0].Ended.Equal(all[0].At) || all[3].EndedBy != "oper" || all[3].Stands || all[2].Stands || !all[1].Stands || all[1].Effect != "Nothing is sent." || all[1].Origin != "munge" {
		t.Errorf("%+v", all)
	}
	if page, err := s.ListActions(t.Context(), clusterName, all[1].ID, 1); err != nil || len(page) != 1 || page[0].ID != past.ID {
		t.Errorf("the next page: %+v, %v", page, err)
	}
}

// TestAModeIsADemotion: the loop and the guard's commands see it, guard clear does not end it.
func TestAModeIsADemotion(t *testing.T) {
	db := dbtest.NewDB(t)
	s, g := &operations.Store{DB: db}, &guard.Store{DB: db}
	mode := action(bridge.OperatorMode)
	mode.Partition, mode.Mode = "gpu", bridge.ModeRank
	must(t, s.AddAction(t.Context(), clusterName, &mode, false, nil))
	_, err := g.Demote(t.Context(), clusterName, bridge.Demotion{Partition: "gpu", Since: time.Now(), By: "ann"})
	must(t, err)
	active, err := g.ActiveDemotions(t.Context(), clusterName)
	if err != nil || len(active) != 2 || bridge.FindDemotion(active, "gpu").By != "ann" {
		t.Fatalf("%+v, %v", active, err)
	}
	if cleared, err := g.ClearDemotion(t.Context(), clusterName, "gpu", "bob", ""); err != nil || !cleared {
		t.Error(cleared, err)
	}
	if active, err = g.ActiveDemotions(t.Context(), clusterName); err != nil || len(active) != 1 || active[0].Mode != bridge.ModeRank || active[0].Action != mode.ID || active[0].By != "oper" {
		t.Errorf("%+v, %v", active, err)
	}
	end := action(bridge.OperatorMode)
	end.Partition, end.Mode = "gpu", bridge.ModeSteer
	must(t, s.AddAction(t.Context(), clusterName, &end, true, []int64{mode.ID}))
	all, err := g.ListDemotions(t.Context(), clusterName, time.Now().Add(-time.Hour))
	if err != nil || len(all) != 2 || all[0].Stands || all[1].Stands {
		t.Errorf("%+v, %v", all, err)
	}
	for query, want := range map[string]string{
		"select string_agg(mode || demoted_by || cleared_by, ' ' order by mode) from fairbridge_v1.demotions":                "observeannbob rankoperoper",
		"select string_agg(kind || mode || author || why, ' ' order by id) from fairbridge_v1.operator_actions where id > 0": "moderankoperSo it is. modesteeroperSo it is.",
	} {
		if got := dbtest.QueryTexts(t, db, query); len(got) != 1 || got[0] != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}

// TestWhatStandsIsKept: however old it is; what ended is forgotten.
func TestWhatStandsIsKept(t *testing.T) {
	s := stores.New(dbtest.NewDB(t))
	stands, ended := action(bridge.OperatorStop), action(bridge.OperatorResume)
	must(t, s.AddAction(t.Context(), clusterName, &stands, false, nil))
	must(t, s.AddAction(t.Context(), clusterName, &ended, true, nil))
	_, err := s.Prune(t.Context(), clusterName, time.Now().AddDate(3, 0, 0), stores.DefaultRetention())
	must(t, err)
	if all, err := s.ListActions(t.Context(), clusterName, 0, 10); err != nil || len(all) != 1 || all[0].ID != stands.ID {
		t.Errorf("%+v, %v", all, err)
	}
}
