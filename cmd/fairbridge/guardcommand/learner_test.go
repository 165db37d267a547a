package guardcommand

import (
	"strings"
	"testing"

	"fairbridge/accounting/dbtest"
	"fairbridge/bridge"
	"fairbridge/bridge/harm"
)

// TestTheTeacherTakesOver: one check that shows it is enough, the demotion stands in the database, and
// while it does there is nothing to compare.
func TestTheTeacherTakesOver(t *testing.T) {
	k := newChecker(t)
	p := &bridge.Partition{Name: "gpu", Mode: bridge.ModeObserve, Policy: "dl2", Params: "step=2", Teacher: &bridge.Teacher{Params: "by=teacher step=2"}}
	blind, err := k.checkLearner(t.Context(), p, nil)
	if err != nil || blind.Verdict != harm.CannotTell || !strings.HasPrefix(blind.Reasons[0], "Not compared with its teacher: ") || blind.Demotion != nil {
		t.Errorf("without a record: %+v, %v", blind, err)
	}
	m := harm.Measurement{Policy: "dl2 step=2", JobCount: 50, Figures: []harm.Figure{{Kind: harm.Completion, JobCount: 50, Live: 7200, Alone: 3600}}}
	o := outcome{Check: harm.JudgeMeasurement("gpu", noon, m, k.file.Guard)}
	dbtest.RequireNoError(t, k.fallBackIfDue(t.Context(), p, &o))
	active, err := k.db.ActiveDemotions(t.Context(), "c1")
	dbtest.RequireNoError(t, err)
	if d := bridge.FindLearnerDemotion(active, p); d == nil || o.Demotion == nil || bridge.FindDemotion(active, "gpu") != nil {
		t.Fatalf("%+v of %+v", d, active)
	}
	again, err := k.checkLearner(t.Context(), p, active)
	if err != nil || again.Demotion == nil || again.Reasons[0] != "Demoted: its teacher decides." {
		t.Errorf("%+v, %v", again, err)
	}
	var text strings.Builder
	printOutcomes(&text, []outcome{o}, false)
	if s := text.String(); !strings.Contains(s, "LEARNT") || !strings.Contains(s, "DEMOTED: policy dl2 step=2 of partition gpu is demoted, and its teacher decides") {
		t.Error(s)
	}
}
