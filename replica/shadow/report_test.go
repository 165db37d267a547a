package shadow

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairbridge/policy"
	"fairbridge/replica/measure"
	"fairbridge/replica/replay"
	"fairbridge/replica/study"
)

func TestClaims(t *testing.T) {
	for _, c := range []struct {
		gain, band float64
		want       Claim
	}{
		{600, 300, WaitsLess}, {-600, 300, WaitsMore}, {300, 600, CannotTell}, {-300, 600, CannotTell},
		{10, 20, WaitsSame}, {-50, 20, CannotTell}, {61, 10, WaitsLess}, {0, 0, WaitsSame}, {300, 300, CannotTell},
	} {
		if got := claimOf(c.gain, c.band); got != c.want {
			t.Errorf("gain %g ± %g: %s, want %s", c.gain, c.band, got, c.want)
		}
	}
}

// outcome is a job that ran for 1000 s after so long a wait.
func outcome(id int64, account string, gpus int, wait float64) measure.JobOutcome {
	return measure.JobOutcome{ID: id, User: "u", Account: account, GPUCount: gpus, Arrive: 100, Start: 100 + wait, Finish: 1100 + wait, ExclusiveRunSeconds: 1000, HeldSeconds: 1000}
}

// handMadeRuns are four jobs of two accounts; the last was there before and does not count.
func handMadeRuns(waits ...float64) *measure.Run {
	r := &measure.Run{MakespanSeconds: 1}
	for i, w := range waits {
		r.JobOutcomes = append(r.JobOutcomes, outcome(int64(i+1), []string{"a", "a", "b", "b"}[i], []int{1, 4, 8, 8}[i], w))
	}
	return r
}

// TestReportByHand works out a report of two seeds.
func TestReportByHand(t *testing.T) {
	node := policy.Node{Name: "n1", GPUs: []policy.NodeDevices{{Type: "a100", Count: 8}}}
	site := &replay.PastScenario{
		Scenario: &study.Scenario{Nodes: []policy.Node{node}}, Partition: "gpu", RealRun: handMadeRuns(1000, 3000, 500, 0),
		ArrivedWithinPeriod: map[int64]bool{1: true, 2: true, 3: true},
	}
	alone := []*measure.Run{handMadeRuns(1100, 3100, 400, 0), handMadeRuns(1300, 3300, 400, 0)}
	plan := []*measure.Run{handMadeRuns(100, 1100, 1400, 9), handMadeRuns(100, 1100, 1400, 9)}
	alone[1].Seed, plan[1].Seed = 1, 1
	plan[0].JobOutcomes[2].StopCount, plan[0].JobOutcomes[2].LostService, plan[0].WriteCount = 3, 7200, 40
	r := compareRuns(site, alone, alone, plan)

	// a: was 2000, simulated 2100 and 2300 (error 200), with the plan 600: gain 1600, whose standard
	// deviation is 141. b: was 500, simulated 400, with the plan 1400: gain -1000, error -100.
	perJob := math.Sqrt((200*200*2 + 100*100*1) / 2.0)
	want := []Group{
		{Account: "a", JobCount: 2, RealWait: 2000, OwnError: 200, AloneWait: 2200, PlanWait: 600, Gain: 1600, Band: 1.3 * math.Sqrt(perJob*perJob/2+20000), EarlierCount: 2, Claim: WaitsLess, aloneDeviation: math.Sqrt(20000)},
		{Account: "b", JobCount: 1, RealWait: 500, OwnError: -100, AloneWait: 400, PlanWait: 1400, Gain: -1000, Band: 1.3 * perJob, LaterCount: 1, Claim: WaitsMore},
	}
	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-6 })
	if d := cmp.Diff(want, r.Accounts, near, cmp.AllowUnexported(Group{})); d != "" {
		t.Errorf("accounts (-want +got):\n%s", d)
	}
	if g := r.All; g.JobCount != 3 || math.Abs(g.RealWait-1500) > 1e-6 || math.Abs(g.Gain-2200.0/3) > 1e-6 || g.Claim != WaitsLess {
		t.Errorf("all jobs: %+v", g)
	}
	var sizes []string
	for i := range r.Sizes {
		sizes = append(sizes, r.Sizes[i].Size)
	}
	if d := cmp.Diff([]string{"1 GPU", "2–4 GPUs", "5–8 GPUs"}, sizes); d != "" {
		t.Errorf("sizes (-want +got):\n%s", d)
	}
	if len(r.Losers) != 1 || r.Losers[0].Account != "b" || r.Losers[0].Gain != -1000 {
		t.Errorf("losers: %+v", r.Losers)
	}
	if r.Stops != (Range{1.5, 0, 3}) || r.Lost != (Range{1, 0, 2}) || r.Writes != (Range{20, 0, 40}) {
		t.Errorf("stops %+v, lost %+v, writes %+v", r.Stops, r.Lost, r.Writes)
	}
	if r.IsGain() || len(r.HarmedAccounts()) != 1 {
		t.Error("account b waits more, and it is a gain")
	}
}

// The page and the table have the same rows, with the losers.
func TestPage(t *testing.T) {
	r := &Report{Partition: "gpu", DecidedThen: "slurm", All: Group{JobCount: 3, RealWait: 600, Claim: CannotTell, Gain: 60, Band: 600}, Accounts: []Group{{Account: "physics", JobCount: 3, Claim: CannotTell}}, Remarks: []string{"left out: 7 jobs"}}
	var page strings.Builder
	if err := WritePage(&page, "c1", []*Report{r}, "made by a test"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Shadow report of cluster c1", "Cannot tell: 3 jobs waited 10m in the mean", "physics", "left out: 7 jobs", "made by a test"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("%q is not on the page", want)
		}
	}
	if strings.Contains(page.String(), "Who would wait longer") {
		t.Error("a table without rows is shown")
	}
}
