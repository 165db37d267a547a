package canary

import (
	"context"
	"strings"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/policy"
)

// newPartition has a canary of srtf on two drawn days of each week.
func newPartition() *bridge.Partition {
	return &bridge.Partition{Name: "gpu", Mode: bridge.ModeRank, Policy: "fairbridge", Canary: &bridge.Canary{
		Policy: "srtf", DaysPerWeek: 2, Seed: 1, Since: monday, Until: monday.AddDate(0, 0, 27), Location: time.UTC,
	}}
}

// TestTheEarliestVerdict: days are drawn on Thursday and Sunday of the first week, on Tuesday and
// Wednesday of the second. On Thursday there are ways enough to draw them, and its jobs have a day to
// end.
func TestTheEarliestVerdict(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*bridge.Canary)
		want   string
	}{
		"drawn":            {func(*bridge.Canary) {}, "2026-03-14"},
		"too short":        {func(c *bridge.Canary) { c.Until = monday.AddDate(0, 0, 6) }, "never"},
		"one day a week":   {func(c *bridge.Canary) { c.DaysPerWeek = 1 }, "2026-03-26"},
		"named":            {func(c *bridge.Canary) { c.DaysPerWeek, c.Weekdays = 0, []time.Weekday{time.Monday, time.Friday} }, "2026-03-15"},
		"six of seven":     {func(c *bridge.Canary) { c.DaysPerWeek = 6 }, "2026-03-19"},
		"from a Sunday on": {func(c *bridge.Canary) { c.Since = monday.AddDate(0, 0, 6) }, "2026-03-21"},
	} {
		p := newPartition()
		c.change(p.Canary)
		got := "never"
		if at := p.EarliestVerdict(bridge.CanaryTally{}, p.Canary.Since); !at.IsZero() {
			got = at.Format(time.DateOnly)
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// cyclesRecord is who decided on each day.
type cyclesRecord map[string][]bridge.PolicyCycleCounts

func (r cyclesRecord) ListSteering(_ context.Context, _, _ string, since, _ time.Time) ([]bridge.PolicyCycleCounts, error) {
	return r[since.Format(time.DateOnly)], nil
}

func (cyclesRecord) LastSeenJobs(context.Context, string, string, time.Time, time.Time) (map[policy.JobID]policy.Job, error) {
	return nil, nil
}

func (cyclesRecord) LastSnapshot(context.Context, string, string) (*policy.Snapshot, error) {
	return nil, nil
}

func cycles(mode bridge.Mode, policyName string, count int64) bridge.PolicyCycleCounts {
	return bridge.PolicyCycleCounts{Mode: mode, Policy: policyName, CycleCount: count}
}

// TestDaysThatDoNotCount: those without a daemon, observed, or decided by another are named, and a
// week in which the two were not where they were drawn is left out whole.
func TestDaysThatDoNotCount(t *testing.T) {
	config := bridge.DefaultConfig()
	tr := &Trial{partition: newPartition(), config: config, now: monday.AddDate(0, 0, 22).Add(-time.Second)}
	r := cyclesRecord{}
	for date := monday; date.Before(tr.now); date = date.AddDate(0, 0, 1) {
		r[date.Format(time.DateOnly)] = []bridge.PolicyCycleCounts{cycles(bridge.ModeRank, tr.partition.DecidedAt(date).Policy, 2880)}
	}
	r["2026-03-02"] = []bridge.PolicyCycleCounts{cycles(bridge.ModeRank, "fairbridge", 1000)}
	r["2026-03-03"] = []bridge.PolicyCycleCounts{cycles(bridge.ModeRank, "fairbridge", 2000), cycles(bridge.ModeObserve, "fairbridge", 880)}
	r["2026-03-05"] = []bridge.PolicyCycleCounts{cycles(bridge.ModeSteer, "srtf", 2800), cycles(bridge.ModeRank, "fairbridge", 80)}
	r["2026-03-06"] = []bridge.PolicyCycleCounts{cycles(bridge.ModeRank, "tiresias", 2880)}
	r["2026-03-10"] = []bridge.PolicyCycleCounts{cycles(bridge.ModeRank, "fairbridge", 2880)} // srtf was drawn
	r["2026-03-18"] = []bridge.PolicyCycleCounts{cycles(bridge.ModeRank, "srtf", 1500), cycles(bridge.ModeRank, "fairbridge", 1380)}
	tr.demotions = []bridge.Demotion{{Since: monday.AddDate(0, 0, 16).Add(12 * time.Hour)}}
	if err := tr.readDays(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"2026-03-02": "the daemon ran for 35 % of it", "2026-03-03": "in mode observe, or demoted, for 31 % of it", "2026-03-06": "tiresias decided for 100 % of it",
		"2026-03-09": "on 2026-03-10 of its week", "2026-03-10": "fairbridge decided for 100 % of it", "2026-03-15": "on 2026-03-10 of its week",
		"2026-03-18": "the candidate was demoted", "2026-03-19": "the candidate was demoted", "2026-03-20": "the candidate was demoted", "2026-03-21": "the candidate was demoted",
	}
	for i := range tr.days {
		d := &tr.days[i]
		if name := d.Date.Format(time.DateOnly); !strings.HasPrefix(d.LeftOut, want[name]) || want[name] == "" && d.LeftOut != "" && !strings.HasPrefix(d.LeftOut, "on 2026-03-10") {
			t.Errorf("%s: %q, want %q", name, d.LeftOut, want[name])
		}
	}
	if last := tr.days[len(tr.days)-1].Date; len(tr.days) != 20 || !last.Equal(monday.AddDate(0, 0, 19)) {
		t.Errorf("%d days, the last %v: jobs of the last whole day have had no day to end", len(tr.days), last)
	}
	if tr.days[3].mode != bridge.ModeSteer {
		t.Errorf("mode %s", tr.days[3].mode)
	}
	if days, weeks := tr.tally().CountDays(); days != 3 || weeks != 2 || tr.isEnough() {
		t.Errorf("%d days in %d weeks", days, weeks)
	}
	tr.days = tr.days[:16] // until the demotion
	if r := tr.newReport(3); r.Verdict != NotYet || r.CandidateDays != 3 || r.Summarize() != "Not enough days yet: 3 of at least 4 days of the candidate; the earliest verdict is on 2026-03-23." {
		t.Errorf("%s: %s", r.Verdict, r.Summarize())
	}
	tr.partition.Canary.Until = tr.days[15].Date
	if r := tr.newReport(3); r.Verdict != Never || !strings.Contains(r.Summarize(), "Set canary.until later") {
		t.Errorf("%s: %s", r.Verdict, r.Summarize())
	}
}
