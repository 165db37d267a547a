package guardcommand

import (
	"strings"
	"testing"
	"time"

	"fairbridge/accounting/dbtest"
	"fairbridge/accounting/guard"
	"fairbridge/accounting/stores"
	"fairbridge/bridge"
	"fairbridge/bridge/harm"
	"fairbridge/cmd/settings"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func newChecker(t *testing.T) *checker {
	t.Helper()
	file := settings.NewDefaultFile()
	file.Cluster = "c1"
	return &checker{checkFlags: &checkFlags{}, file: file, db: stores.New(dbtest.NewDB(t)), now: noon}
}

// TestHarmDemotesOnce: the third check in a row demotes, those before the partition went live as
// it is do not count, and no partition is demoted twice.
func TestHarmDemotesOnce(t *testing.T) {
	k := newChecker(t)
	p, live := &bridge.Partition{Name: "gpu"}, &guard.Stretch{LiveSince: noon.Add(-150 * time.Minute)}
	for hoursAgo := 5; hoursAgo >= 0; hoursAgo-- {
		c := harm.Check{Partition: "gpu", At: noon.Add(-time.Duration(hoursAgo) * time.Hour), Verdict: harm.Harm, Reasons: []string{"Jobs waited."}}
		dbtest.RequireNoError(t, k.db.PutCheck(t.Context(), "c1", &c))
		d, err := k.demoteIfDue(t.Context(), p, live)
		dbtest.RequireNoError(t, err)
		if isDue := hoursAgo == 0; (d != nil) != isDue {
			t.Errorf("%d hours ago: demotion %+v", hoursAgo, d)
		}
	}
	if _, err := k.demoteIfDue(t.Context(), p, live); err != nil {
		t.Error(err)
	}
	all, err := k.db.ListDemotions(t.Context(), "c1", noon.Add(-24*time.Hour))
	if err != nil || len(all) != 1 || !all[0].Stands || all[0].By != harm.GuardName || !strings.Contains(all[0].Why, "3 checks in a row") {
		t.Errorf("%+v, %v", all, err)
	}
}

// TestHarmOnTheCandidatesDays: three checks of two of its days demote the candidate alone, once; what was
// cleared does not count again; and the partition is demoted by checks of the incumbent.
func TestHarmOnTheCandidatesDays(t *testing.T) {
	k := newChecker(t)
	p := &bridge.Partition{Name: "gpu", Policy: "fairbridge", Canary: &bridge.Canary{Policy: "fifo", Params: "a=1"}}
	s := &guard.Stretch{LiveSince: noon.AddDate(0, 0, -9), Policy: "fifo", Params: "a=1"}
	check := func(at time.Time, policy string, verdict harm.Claim) *bridge.Demotion {
		t.Helper()
		c := harm.Check{Partition: "gpu", At: at, Verdict: verdict, Reasons: []string{"Jobs waited."}, Measurement: harm.Measurement{Policy: policy}}
		dbtest.RequireNoError(t, k.db.PutCheck(t.Context(), "c1", &c))
		s.Policy, s.Params, _ = strings.Cut(policy, " ")
		d, err := k.demoteIfDue(t.Context(), p, s)
		dbtest.RequireNoError(t, err)
		return d
	}
	fourDaysAgo := noon.AddDate(0, 0, -4)
	for _, at := range []time.Time{fourDaysAgo, fourDaysAgo.Add(time.Hour)} {
		if d := check(at, "fifo a=1", harm.Harm); d != nil {
			t.Errorf("demoted at %v: %+v", at, d)
		}
	}
	check(noon.AddDate(0, 0, -2), "fairbridge", harm.NoHarm)
	if d := check(noon, "fifo a=1", harm.Harm); d == nil || d.Candidate != "fifo a=1" || !strings.Contains(d.Why, "could tell (1), 0 showed harm") {
		t.Fatalf("%+v", d)
	}
	active, err := k.db.ActiveDemotions(t.Context(), "c1")
	dbtest.RequireNoError(t, err)
	if bridge.FindDemotion(active, "gpu") != nil || bridge.FindCandidateDemotion(active, p) == nil {
		t.Errorf("%+v", active)
	}
	if _, err := k.db.ClearDemotion(t.Context(), "c1", "gpu", "ann", "mended"); err != nil {
		t.Fatal(err)
	}
	now := time.Now().UTC() // after it was cleared, by the clock of the database
	s.LiveSince = now.AddDate(-1, 0, 0)
	if d := check(now, "fifo a=1", harm.Harm); d != nil {
		t.Errorf("cleared, and demoted by the checks before: %+v", d)
	}
	for hours := range 3 {
		d := check(now.Add(time.Duration(hours+1)*time.Hour), "fairbridge", harm.Harm)
		if (d != nil) != (hours == 2) || d != nil && d.Candidate != "" {
			t.Errorf("%d h after: %+v", hours, d)
		}
	}
}

// TestWhatIsNotKnownIsNoHarm: what keeps a check from being made is its reason.
func TestWhatIsNotKnownIsNoHarm(t *testing.T) {
	k := newChecker(t)
	p := &bridge.Partition{Name: "gpu", Mode: bridge.ModePreempt, Policy: "fifo"}
	for want, s := range map[string]*guard.Stretch{
		"No cycle is stored of late":         nil,
		"The last cycle was 1h ago":          {Mode: bridge.ModePreempt, LastCycleAt: noon.Add(-time.Hour)},
		"The last cycle was in mode observe": {Mode: bridge.ModeObserve, LastCycleAt: noon},
		"Not measured: the record has no":    {Mode: bridge.ModePreempt, LastCycleAt: noon, Since: noon.Add(-time.Hour)},
	} {
		if c := k.judge(t.Context(), p, s); c.Verdict != harm.CannotTell || !strings.Contains(c.Reasons[0], want) {
			t.Errorf("%s: %s", c.Verdict, c.Reasons)
		}
	}
}
