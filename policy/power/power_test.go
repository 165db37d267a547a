package power_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/policy"
	"fairbridge/policy/power"
)

// rules of a tight kind.
var rules = power.Rules{Step: 10 * time.Minute, Ahead: 3 * time.Hour, Margin: 1, Spare: 1, Refit: 24 * time.Hour}

// monday is the beginning of a week.
var monday = time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)

// week is looks every ten minutes from Monday on, so many days: 14 nodes by day, 4 at night, 2 on weekends.
func week(days int) []power.Look {
	looks := make([]power.Look, days*144)
	for i := range looks {
		at := monday.Add(time.Duration(i) * 10 * time.Minute)
		looks[i] = power.Look{At: at, Needed: 4, Starts: 1}
		switch {
		case at.Weekday() == time.Saturday || at.Weekday() == time.Sunday:
			looks[i].Needed = 2
		case at.Hour() >= 9 && at.Hour() < 18:
			looks[i].Needed = 14
		}
	}
	return looks
}

// TestForecastKnowsTheHour: what comes every day is foretold, and what is off it is expected to stay off in part.
func TestForecastKnowsTheHour(t *testing.T) {
	m, err := power.Fit(week(14), 10*time.Minute, 3*time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	at := monday.AddDate(0, 0, 14).Add(7 * time.Hour)
	f := m.Forecast(power.Look{At: at, Needed: 4})
	if f.Mean[0] != 4 || f.Mean[12] != 14 || f.Sigma[12] != 0 {
		t.Errorf("at seven %.1f nodes are expected, at nine %.1f ± %.1f", f.Mean[0], f.Mean[12], f.Sigma[12])
	}
	looks := week(14)
	for i := range looks { // a wave of two days' length
		looks[i].Needed += int(math.Round(2 * math.Sin(float64(i)/46)))
	}
	if m, err = power.Fit(looks, 10*time.Minute, 3*time.Hour); err != nil {
		t.Fatal(err)
	}
	f = m.Forecast(power.Look{At: at, Needed: 8})
	if !(f.Mean[0] == 8 && f.Mean[6] > 5 && f.Mean[6] < 8 && f.Sigma[6] > f.Sigma[1]) {
		t.Errorf("four above the usual: %.2f, an hour later %.2f ± %.2f (a step later ± %.2f)", f.Mean[0], f.Mean[6], f.Sigma[6], f.Sigma[1])
	}
}

func TestTooShortAPast(t *testing.T) {
	_, err := power.Fit(week(1), 10*time.Minute, time.Hour)
	if err == nil || !strings.Contains(err.Error(), "give a longer past") {
		t.Errorf("one day: %v", err)
	}
	if _, err := rules.Replay(week(1), 16); err == nil {
		t.Error("one day is replayed")
	}
}

// TestReplayOfRegularDays: what comes every day makes no job late, and nearly all that idles is off.
func TestReplayOfRegularDays(t *testing.T) {
	s, err := rules.Replay(week(28), 16)
	if err != nil {
		t.Fatal(err)
	}
	// Before the first weekend none has been seen, so that its nodes stay on.
	if s.LateStarts != 0 || s.Starts != 26*144 || s.OffNodeHours < .7*s.IdleNodeHours || float64(s.WakeUps) > 3*s.Days {
		t.Errorf("%+v", s)
	}
}

// TestReplayOfSurprise: jobs that start in a step in which more nodes are needed than are on are late.
func TestReplayOfSurprise(t *testing.T) {
	looks := week(14)
	at := 13*144 + 12 // two on the last Sunday
	looks[at].Needed, looks[at].Starts = 16, 5
	s, err := rules.Replay(looks, 16)
	if err != nil || s.LateStarts != 5 {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestAdvice names empty nodes only, the last by name, and leaves those on that a waiting job would fill.
func TestAdvice(t *testing.T) {
	s := &policy.Snapshot{Now: monday.AddDate(0, 0, 13).Add(6 * time.Hour)} // a Sunday
	for _, name := range strings.Fields("n1 n2 n3 n4 n5 n6") {
		s.Nodes = append(s.Nodes, policy.Node{Name: name, Partitions: []string{"gpu"}, GPUs: []policy.NodeDevices{{Type: "g", Count: 8}}})
	}
	s.Nodes[5].DownReason = "drained"
	s.Jobs = []policy.Job{{ID: 1, State: policy.Running, Ask: policy.Ask{GPUs: policy.GPUs{Count: 1}}, On: policy.Alloc{{Node: "n5", Type: "g", Count: 1}}}}
	r := rules
	r.Behind = 3 * time.Hour
	advise := func() power.Advice { return r.Advise(s, map[string][]power.Look{"g": week(13)})[0] }
	before := s.Clone()
	if a := advise(); !slices.Equal(a.Off, []string{"n3", "n4"}) || a.Needed != 1 || a.Total != 5 {
		t.Errorf("%+v", a)
	}
	s.Jobs = append(s.Jobs, policy.Job{ID: 2, State: policy.Pending, Ask: policy.Ask{GPUs: policy.GPUs{Count: 16}}})
	if a := advise(); len(a.Off) != 1 || a.Needed != 3 {
		t.Errorf("with a job of two nodes that waits: %+v", a)
	}
	s.Jobs = s.Jobs[:1]
	if diff := cmp.Diff(before, s); diff != "" {
		t.Errorf("the snapshot was changed (-before +after):\n%s", diff)
	}
	if all := rules.Advise(s, nil); all != nil {
		t.Errorf("without a model: %+v", all)
	}
}
