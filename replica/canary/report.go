package canary

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"

	"fairbridge/bridge"
)

// Verdict is what a report says of a canary.
type Verdict string

// The verdicts there are.
const (
	Better       Verdict = "better"
	Worse        Verdict = "worse"
	NoDifference Verdict = "no difference seen"
	NotYet       Verdict = "not enough days yet"
	Never        Verdict = "cannot be judged" // too few days until its last one
)

// Report is what came of a canary so far.
type Report struct {
	Partition string    `json:"partition"`
	Candidate string    `json:"candidate"` // policy with its parameters
	Incumbent string    `json:"incumbent"`
	Since     time.Time `json:"since"` // the first day
	Until     time.Time `json:"until"` // the last day
	AsOf      time.Time `json:"as_of"` // the last cycle
	IsDrawn   bool      `json:"drawn"` // its days are drawn, not named: only then p is exact
	Verdict   Verdict   `json:"verdict"`
	// EarliestVerdict is the day from which there will be days enough; zero: there are, or never.
	EarliestVerdict time.Time `json:"earliest_verdict,omitzero"`
	CandidateDays   int       `json:"candidate_days"` // that count
	IncumbentDays   int       `json:"incumbent_days"`
	SeedCount       int       `json:"seeds"`
	// Demotion is that of the candidate, which then decides on no day; nil: it is not demoted.
	Demotion *bridge.Demotion `json:"demotion,omitempty"`

	Figures      []FigureDifference `json:"figures"`
	Accounts     []Group            `json:"accounts"`
	Sizes        []Group            `json:"sizes"`
	AccountSizes []Group            `json:"account_sizes"`
	// Losers are the groups whose jobs fared worse on the candidate's days by more than 5 %, the
	// least likely by chance first.
	Losers []Group `json:"losers"`
	Days   []Day   `json:"days"`
}

// FigureDifference is one of the figures that the verdict rests on.
type FigureDifference struct {
	Key   string `json:"key"`
	Title string `json:"title"`
	// OwnError is the simulation of what was done over what was, geometric mean over the days.
	OwnError float64 `json:"simulated_over_real"`
	Verdict  Verdict `json:"verdict"`
	Difference
}

// Group is the jobs of an account, of a size or of both, by their mean bounded slowdown.
type Group struct {
	Account       string `json:"account,omitempty"`
	Size          string `json:"size,omitempty"`
	CandidateJobs int    `json:"candidate_jobs"` // on the days of the candidate
	IncumbentJobs int    `json:"incumbent_jobs"`
	Difference
}

func (t *Trial) candidateName() string { return t.partition.Canary.Candidate() }

func (t *Trial) incumbentName() string {
	return bridge.FormatDecider(t.partition.Policy, t.partition.Params)
}

// newReport compares the days, as far as they were measured.
func (t *Trial) newReport(seeds int) *Report {
	c := t.partition.Canary
	r := &Report{
		Partition: t.partition.Name, Candidate: t.candidateName(), Incumbent: t.incumbentName(), Since: c.Since, Until: c.Until, AsOf: t.now, IsDrawn: c.IsDrawn(),
		SeedCount: seeds, Days: t.days, Figures: []FigureDifference{}, Accounts: []Group{}, Sizes: []Group{}, AccountSizes: []Group{}, Losers: []Group{},
	}
	for i := range t.days {
		switch d := &t.days[i]; {
		case d.counts() && d.IsCandidate:
			r.CandidateDays++
		case d.counts():
			r.IncumbentDays++
		}
	}
	if !t.isEnough() {
		r.Verdict = NotYet
		if r.EarliestVerdict = t.earliestVerdict(); r.EarliestVerdict.IsZero() {
			r.Verdict = Never
		}
		return r
	}
	r.Figures = t.compareFigures()
	r.Verdict = joinVerdicts(r.Figures)
	r.Accounts = t.compareGroups(func(k groupKey) bool { return k.size == "" })
	r.Sizes = t.compareGroups(func(k groupKey) bool { return k.account == "" })
	r.AccountSizes = t.compareGroups(func(k groupKey) bool { return k.account != "" && k.size != "" })
	r.Losers = findLosers(slices.Concat(r.Accounts, r.Sizes, r.AccountSizes))
	return r
}

// compare compares the days by what value has of each; NaN: nothing.
func (t *Trial) compare(value func(*Day) float64) (Difference, bool) {
	byWeek := map[time.Time][]dayValue{}
	for i := range t.days {
		d := &t.days[i]
		if !d.counts() {
			continue
		}
		if log := value(d); !math.IsNaN(log) && !math.IsInf(log, 0) {
			week := t.partition.Canary.Week(d.Date)
			byWeek[week] = append(byWeek[week], dayValue{log, d.IsCandidate})
		}
	}
	return newDifference(slices.SortedFunc(maps.Keys(byWeek), time.Time.Compare), byWeek)
}

func (t *Trial) compareFigures() []FigureDifference {
	all := []FigureDifference{}
	for _, f := range figures {
		d, ok := t.compare(func(day *Day) float64 { return logOrNaN(day.Ratios, f.key) })
		if ok {
			all = append(all, FigureDifference{Key: f.key, Title: f.title, OwnError: t.ownError(f.key), Verdict: NoDifference, Difference: d})
		}
	}
	for i := range all {
		f := &all[i]
		switch {
		case f.P*float64(len(all)) > bridge.CanarySignificance:
		case f.Change > 1:
			f.Verdict = Worse
		case f.Change < 1:
			f.Verdict = Better
		}
	}
	return all
}

// joinVerdicts is worse if any figure is, and better if one is and none is worse.
func joinVerdicts(figures []FigureDifference) Verdict {
	all := NoDifference
	for i := range figures {
		switch figures[i].Verdict {
		case Worse:
			return Worse
		case Better:
			all = Better
		}
	}
	return all
}

func (t *Trial) ownError(key string) float64 {
	var logs []float64
	for i := range t.days {
		if log := logOrNaN(t.days[i].OwnErrors, key); !math.IsNaN(log) {
			logs = append(logs, log)
		}
	}
	return geometricMean(logs)
}

func logOrNaN(ratios map[string]float64, key string) float64 {
	if v, ok := ratios[key]; ok {
		return math.Log(v)
	}
	return math.NaN()
}

// compareGroups compares those that are meant, in the order of their names and sizes.
func (t *Trial) compareGroups(isMeant func(groupKey) bool) []Group {
	byKey := map[groupKey]*Group{}
	for i := range t.days {
		for key, of := range t.days[i].groups {
			if !isMeant(key) {
				continue
			}
			if byKey[key] == nil {
				byKey[key] = &Group{Account: key.account, Size: key.size}
			}
			if t.days[i].IsCandidate {
				byKey[key].CandidateJobs += of.jobs
			} else {
				byKey[key].IncumbentJobs += of.jobs
			}
		}
	}
	groups := []Group{}
	for _, key := range slices.SortedFunc(maps.Keys(byKey), func(a, b groupKey) int {
		return cmp.Or(cmp.Compare(a.account, b.account), cmp.Compare(a.leastGPUs, b.leastGPUs))
	}) {
		d, ok := t.compare(func(day *Day) float64 {
			if of, ok := day.groups[key]; ok {
				return of.log
			}
			return math.NaN()
		})
		if g := byKey[key]; ok {
			g.Difference = d
			groups = append(groups, *g)
		}
	}
	return groups
}

// losesAbove is the change above which a group is said to lose.
const losesAbove = 1.05

func findLosers(groups []Group) []Group {
	groups = slices.DeleteFunc(groups, func(g Group) bool { return !(g.Change > losesAbove) })
	slices.SortStableFunc(groups, func(a, b Group) int { return cmp.Or(cmp.Compare(a.P, b.P), cmp.Compare(b.Change, a.Change)) })
	return groups
}
