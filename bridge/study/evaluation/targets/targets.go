// Package targets has what is wanted of the default policy beside Slurm alone, and judges ratios of
// a policy to Slurm alone by it.
package targets

import "fmt"

// Workload says on which jobs something is wanted.
type Workload string

// The workloads there are.
const (
	Days       Workload = "days"       // whole drawn days
	Windows    Workload = "windows"    // of published traces
	Uninformed Workload = "uninformed" // jobs of which nothing can be known but their size
)

// Target is the most that a figure may come to, by the part of the jobs that may be stopped.
type Target struct {
	Workload        Workload
	Figure          *Figure
	OfferedLoad     float64 // 0: every load
	None, Half, All float64 // most where none, half and all of the jobs may be stopped
}

// Wanted are all targets. This table is their only home: what is printed of them is read from here.
var Wanted = []Target{
	{Days, MeanCompletion, 0.7, 1, 1, 1},
	{Days, MeanCompletion, 1, .97, .93, .90},
	{Days, MeanCompletion, 1.5, .90, .80, .73},
	{Days, MeanCompletion, 3, .90, .90, .90},
	{Days, NodeGangs, 1.5, 1, .90, .80},
	{Days, WorstBelowShare, 0, 1.05, 1.05, 1.05},
	{Days, LongestWaits, 0, 1.05, 1, 1},
	{Days, WorseSeeds, 0, .05, .05, .05},
	{Windows, MedianCompletion, 0, .95, .95, .95},
	{Windows, WorstCompletion, 0, 1, 1, 1},
	{Uninformed, MeanCompletion, 0, 1, 1, 1},
}

// MostWanted returns the most that a figure may come to on such jobs; false: nothing is wanted of it.
func MostWanted(w Workload, f *Figure, offeredLoad, stoppableShare float64) (float64, bool) {
	for _, t := range Wanted {
		if t.Workload != w || t.Figure != f || t.OfferedLoad != 0 && t.OfferedLoad != offeredLoad {
			continue
		}
		switch stoppableShare {
		case 0:
			return t.None, true
		case 0.5:
			return t.Half, true
		case 1:
			return t.All, true
		}
	}
	return 0, false
}

// Verdict says whether a figure is what is wanted of it.
type Verdict string

// The verdicts there are.
const (
	Met      Verdict = "met"
	NotMet   Verdict = "not met"
	NoTarget Verdict = "–"       // nothing is wanted
	NoRuns   Verdict = "no runs" // there is nothing to judge
)

// Judge says whether a figure is at most what is wanted. What counts is the figure as it is shown, so
// that no reader finds 1.000 to be more than 1.
func (v *Value) Judge(most float64) Verdict {
	switch {
	case v.SeedCount == 0:
		return NoRuns
	case v.Shown() <= most:
		return Met
	}
	return NotMet
}

// Tally counts verdicts: "12 of 20 met".
type Tally struct{ MetCount, NotMetCount, NoRunsCount int }

// Add counts one.
func (t *Tally) Add(v Verdict) {
	switch v {
	case Met:
		t.MetCount++
	case NotMet:
		t.NotMetCount++
	case NoRuns:
		t.NoRunsCount++
	}
}

// String says it.
func (t *Tally) String() string {
	text := fmt.Sprintf("%d of %d are met", t.MetCount, t.MetCount+t.NotMetCount+t.NoRunsCount)
	if t.NoRunsCount > 0 {
		text += fmt.Sprintf(", %d have no runs", t.NoRunsCount)
	}
	return text
}
