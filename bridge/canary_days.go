package bridge

import "time"

// The least that says anything: so many days of the candidate, in so many weeks that have days of
// both, which is two weeks at two days of seven. With fewer no difference could be told from chance.
const (
	LeastCanaryDays  = 4
	LeastCanaryWeeks = 2
)

// CanarySignificance is what p, counted once for each of CanaryFigureCount figures, may be at most for a claim about a
// canary.
const (
	CanarySignificance = 0.05
	CanaryFigureCount  = 4
)

// CanarySettleDays is how many days later a day is looked at: its jobs are to end first.
const CanarySettleDays = 1

// weekCount is how many days of a week each of the two has.
type weekCount struct{ candidate, incumbent int }

// CanaryTally counts days by week.
type CanaryTally map[time.Time]weekCount

// Add adds a day of a week.
func (t CanaryTally) Add(week time.Time, isCandidate bool) {
	n := t[week]
	if isCandidate {
		n.candidate++
	} else {
		n.incumbent++
	}
	t[week] = n
}

// CountDays returns how many days of the candidate are in weeks that have days of both, and how
// many such weeks there are.
func (t CanaryTally) CountDays() (days, weeks int) {
	for _, n := range t {
		if n.candidate > 0 && n.incumbent > 0 {
			days, weeks = days+n.candidate, weeks+1
		}
	}
	return days, weeks
}

// IsEnough also asks for so many ways to draw the days that the rarest of them can be told from
// chance: with six days of seven there are seven a week.
func (t CanaryTally) IsEnough() bool {
	days, weeks := t.CountDays()
	drawings := 1.0
	for _, n := range t {
		drawings *= countChoices(n.candidate+n.incumbent, n.candidate)
	}
	return days >= LeastCanaryDays && weeks >= LeastCanaryWeeks && CanaryFigureCount/drawings <= CanarySignificance
}

// countChoices is how many ways there are to choose k of n.
func countChoices(n, k int) float64 {
	ways := 1.0
	for i := range k {
		ways = ways * float64(n-i) / float64(i+1)
	}
	return ways
}

// EarliestVerdict returns the day on which a report can first judge the partition's canary, if from a date on no day has
// to be left out; seen are the days before that count. The zero time: it never can.
func (p *Partition) EarliestVerdict(seen CanaryTally, from time.Time) time.Time {
	c, date := p.Canary, from
	for ; !seen.IsEnough(); date = date.AddDate(0, 0, 1) {
		if date.After(c.Until) {
			return time.Time{}
		}
		seen.Add(c.Week(date), c.DecidesAt(p.Name, date))
	}
	return date.AddDate(0, 0, CanarySettleDays)
}
