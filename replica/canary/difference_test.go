package canary

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

var monday = time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)

// drawnWeeks are weeks of seven days each, of which two at random are the candidate's; its days are
// higher by shift.
func drawnWeeks(dice *rand.Rand, count int, shift float64) ([]time.Time, map[time.Time][]dayValue) {
	var weeks []time.Time
	byWeek := map[time.Time][]dayValue{}
	for k := range count {
		week := monday.AddDate(0, 0, 7*k)
		weeks = append(weeks, week)
		level := dice.NormFloat64() // weeks differ
		for _, place := range dice.Perm(7) {
			v := dayValue{log: level + 0.2*dice.NormFloat64(), isCandidate: place < 2}
			if v.isCandidate {
				v.log += shift
			}
			byWeek[week] = append(byWeek[week], v)
		}
	}
	return weeks, byWeek
}

// TestPByHand: of the 21 ways to draw two days of seven one has the two highest, and none is as far
// off on the other side; with a second week like it it is one of 441.
func TestPByHand(t *testing.T) {
	week := []dayValue{{0.01, false}, {0.02, false}, {3, true}, {0.03, false}, {4, true}, {0.04, false}, {0.05, false}}
	for count, want := range map[int]float64{1: 1. / 21, 2: 1. / 441} {
		byWeek := map[time.Time][]dayValue{}
		var weeks []time.Time
		for k := range count {
			weeks = append(weeks, monday.AddDate(0, 0, 7*k))
			byWeek[weeks[k]] = week
		}
		d, ok := newDifference(weeks, byWeek)
		if !ok || math.Abs(d.P-want) > 1e-9 || math.Abs(math.Log(d.Change)-(3.5-0.03)) > 1e-9 || d.CandidateDays != 2*count || d.IncumbentDays != 5*count {
			t.Errorf("%d weeks: %+v, want p %.4f", count, d, want)
		}
	}
}

// TestWeeksOfOneKindSayNothing: weeks differ, so only days of one week are compared.
func TestWeeksOfOneKindSayNothing(t *testing.T) {
	other := monday.AddDate(0, 0, 7)
	byWeek := map[time.Time][]dayValue{monday: {{0, false}, {1, true}}, other: {{9, false}, {9, false}}}
	d, ok := newDifference([]time.Time{monday, other}, byWeek)
	if !ok || d.IncumbentDays != 1 || math.Abs(math.Log(d.Change)-1) > 1e-9 || d.P != 1 {
		t.Errorf("%+v", d)
	}
	if _, ok := newDifference([]time.Time{other}, byWeek); ok {
		t.Error("a week without a candidate's day is compared")
	}
}

// TestChanceIsNotTakenForADifference: where it does not matter who decides, a p of .05 or less comes
// once in twenty and the band holds no difference four times of five; where it does, it is found.
func TestChanceIsNotTakenForADifference(t *testing.T) {
	dice := rand.New(rand.NewPCG(3, 4))
	const trials = 400
	alarms, held, found := 0, 0, 0
	for range trials {
		d, _ := newDifference(drawnWeeks(dice, 2, 0))
		if d.P <= 0.05 {
			alarms++
		}
		if d.Least <= 1 && d.Greatest >= 1 {
			held++
		}
		if d, _ = newDifference(drawnWeeks(dice, 2, 0.5)); d.P <= 0.05 && d.Change > 1 {
			found++
		}
	}
	if alarms > trials*7/100 || alarms < trials*2/100 || held < trials*72/100 || held > trials*88/100 || found < trials*80/100 {
		t.Errorf("of %d: %d false alarms, the band held %d times, %d differences of half were found", trials, alarms, held, found)
	}
}

// TestManyWeeksAreDrawnByChance: where the ways are too many to try all, those that are drawn say
// nearly the same.
func TestManyWeeksAreDrawnByChance(t *testing.T) {
	weeks, byWeek := drawnWeeks(rand.New(rand.NewPCG(5, 6)), 4, 0.08) // 21^4, just within the ways that are all tried
	exact, _ := newDifference(weeks, byWeek)
	constant := monday.AddDate(0, 0, -7)
	byWeek[constant] = []dayValue{{0, true}, {0, false}, {0, false}} // says nothing, but triples them
	drawn, _ := newDifference(append(weeks, constant), byWeek)
	if math.Abs(drawn.P-exact.P) > 0.01 || exact.P < 0.01 || exact.P > 0.9 {
		t.Errorf("exactly %.4f, drawn %.4f", exact.P, drawn.P)
	}
	again, _ := newDifference(append(weeks, constant), byWeek)
	if again != drawn {
		t.Errorf("another p each time: %v, %v", drawn.P, again.P)
	}
}
