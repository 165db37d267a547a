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
	isLiveSince := noon.Add(-150 * time.Minute)
	for hoursAgo := 5; hoursAgo >= 0; hoursAgo-- {
		c := harm.Check{Partition: "gpu", At: noon.Add(-time.Duration(hoursAgo) * time.Hour), Verdict: harm.Harm, Reasons: []string{"Jobs waited."}}
		dbtest.RequireNoError(t, k.db.PutCheck(t.Context(), "c1", &c))
		d, err := k.demoteIfDue(t.Context(), "gpu", isLiveSince)
		dbtest.RequireNoError(t, err)
		if isDue := hoursAgo == 0; (d != nil) != isDue {
			t.Errorf("%d hours ago: demotion %+v", hoursAgo, d)
		}
	}
	if _, err := k.demoteIfDue(t.Context(), "gpu", isLiveSince); err != nil {
		t.Error(err)
	}
	all, err := k.db.ListDemotions(t.Context(), "c1", noon.Add(-24*time.Hour))
	if err != nil || len(all) != 1 || !all[0].Stands || all[0].By != harm.GuardName || !strings.Contains(all[0].Why, "3 checks in a row") {
		t.Errorf("%+v, %v", all, err)
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
