package canary

import (
	"time"

	"fairbridge/bridge"
)

// The least that says anything: so many days of the candidate, in so many weeks that have days of
// both, which is two weeks at two days of seven. With fewer no difference could be told from chance.
const (
	LeastDays  = 4
	LeastWeeks = 2
)

// weekCount is how many days of a week each of the two has.
type weekCount struct{ candidate, incumbent int }

// tally counts days by week.
type tally map[time.Time]weekCount

func (t tally) add(week time.Time, isCandidate bool) {
	n := t[week]
	if isCandidate {
		n.candidate++
	} else {
		n.incumbent++
	}
	t[week] = n
}

// countDays returns how many days of the candidate are in weeks that have days of both, and how
// many such weeks there are.
func (t tally) countDays() (days, weeks int) {
	for _, n := range t {
		if n.candidate > 0 && n.incumbent > 0 {
			days, weeks = days+n.candidate, weeks+1
		}
	}
	return days, weeks
}

// isEnough also asks for so many ways to draw the days that the rarest of them can be told from
// chance: with six days of seven there are seven a week.
func (t tally) isEnough() bool {
	days, weeks := t.countDays()
	drawings := 1.0
	for _, n := range t {
		drawings *= countChoices(n.candidate+n.incumbent, n.candidate)
	}
	return days >= LeastDays && weeks >= LeastWeeks && float64(len(figures))/drawings <= significance
}

// countChoices is how many ways there are to choose k of n.
func countChoices(n, k int) float64 {
	ways := 1.0
	for i := range k {
		ways = ways * float64(n-i) / float64(i+1)
	}
	return ways
}

// EarliestVerdict returns the day on which a report can first judge a partition's canary, if no day
// to come has to be left out; known are the days of the past. The zero time: it never can.
func EarliestVerdict(p *bridge.Partition, known []Day) time.Time {
	c, seen := p.Canary, tally{}
	date := c.Since
	for i := range known {
		if d := &known[i]; d.counts() {
			seen.add(c.Week(d.Date), d.IsCandidate)
		}
		date = known[i].Date.AddDate(0, 0, 1)
	}
	for ; !seen.isEnough(); date = date.AddDate(0, 0, 1) {
		if date.After(c.Until) {
			return time.Time{}
		}
		seen.add(c.Week(date), c.DecidesAt(p.Name, date))
	}
	return date.AddDate(0, 0, settleDays)
}
