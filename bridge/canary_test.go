package bridge_test

import (
	"testing"
	"time"

	"fairbridge/bridge"
)

func newCanary(t *testing.T) *bridge.Canary {
	t.Helper()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	return &bridge.Canary{Policy: "srtf", DaysPerWeek: 2, Seed: 1, Location: berlin, Until: time.Date(2026, 4, 12, 0, 0, 0, 0, berlin)}
}

// TestDaysOfACanary: as many days of each week as are asked for, other ones each week, and none
// after the last; a day begins and ends at midnight there, also when clocks are put forward.
func TestDaysOfACanary(t *testing.T) {
	c := newCanary(t)
	weeks := map[string]bool{}
	for monday := time.Date(2026, 3, 2, 0, 0, 0, 0, c.Location); !monday.After(c.Until); monday = monday.AddDate(0, 0, 7) {
		days := ""
		for i := range 7 {
			day := monday.AddDate(0, 0, i)
			yes := c.DecidesAt("gpu", day)
			if last := monday.AddDate(0, 0, i+1).Add(-time.Second); c.DecidesAt("gpu", last) != yes {
				t.Errorf("%v: it decides %t, and a second before midnight not so", day, yes)
			}
			if yes {
				days += day.Weekday().String()
			}
		}
		if n := len(daysOf(c, "gpu", monday)); n != 2 {
			t.Errorf("week of %v: %d days, want 2", monday, n)
		}
		weeks[days] = true
	}
	if len(weeks) < 3 {
		t.Errorf("the weeks are alike: %v", weeks)
	}
	c.Since = time.Date(2026, 3, 5, 0, 0, 0, 0, c.Location)
	if c.DecidesAt("gpu", c.Since.Add(-time.Second)) || !c.DecidesAt("gpu", c.Since) {
		t.Error("it decides before its first day, or not on it")
	}
	if after := c.Until.AddDate(0, 0, 1); len(daysOf(c, "gpu", after)) > 0 {
		t.Error("it decides after its last day")
	}
}

func daysOf(c *bridge.Canary, partition string, monday time.Time) (days []string) {
	for i := range 7 {
		if day := monday.AddDate(0, 0, i); c.DecidesAt(partition, day) {
			days = append(days, day.Format(time.DateOnly))
		}
	}
	return days
}

// TestDaysCanBeWorkedOut: they are those with the least of what
// for d in 02 03 04 05 06 07 08; do printf 'gpu 1 2026-03-%s' $d | sha256sum; done
// prints, and other ones for another partition or seed of most.
func TestDaysCanBeWorkedOut(t *testing.T) {
	c := newCanary(t)
	monday := time.Date(2026, 3, 2, 0, 0, 0, 0, c.Location)
	got := daysOf(c, "gpu", monday)
	if len(got) != 2 || got[0] != "2026-03-05" || got[1] != "2026-03-08" {
		t.Errorf("days %v, want %s and %s", got, "2026-03-05", "2026-03-08")
	}
	differing := 0
	for seed := range int64(20) {
		c.Seed = seed
		if other := daysOf(c, "gpu", monday); other[0] != got[0] || other[1] != got[1] {
			differing++
		}
	}
	if differing < 10 {
		t.Errorf("of 20 seeds %d draw other days", differing)
	}
}

// TestWhoDecides: the candidate on its days, the partition's own policy on the others.
func TestWhoDecides(t *testing.T) {
	c := newCanary(t)
	c.DaysPerWeek, c.Weekdays = 0, []time.Weekday{time.Tuesday}
	p := &bridge.Partition{Name: "gpu", Policy: "fairbridge", Params: "a=1", Canary: c}
	tuesday := time.Date(2026, 3, 3, 12, 0, 0, 0, c.Location)
	for at, want := range map[time.Time][2]string{
		tuesday: {"srtf", ""}, tuesday.AddDate(0, 0, 1): {"fairbridge", "a=1"}, tuesday.AddDate(0, 0, 70): {"fairbridge", "a=1"},
	} {
		if got := p.DecidedAt(at); got.Policy != want[0] || got.Params != want[1] {
			t.Errorf("at %v %s %s decides, want %s", at, got.Policy, got.Params, want)
		}
	}
}
