package estimate

import (
	"slices"
	"time"

	"fairbridge/policy"
)

// Input is what estimates are made from.
type Input struct {
	Snapshot *policy.Snapshot
	// Line has the waiting jobs in the order in which Slurm looks at them. Jobs that something
	// keeps (Job.HeldReason) are passed over: nobody knows when they may start.
	Line      []policy.JobID
	Sizes     map[policy.JobID]policy.GPUs // as SizesOfPlan returns them; those who are not named start on what they ask
	DrawCount int                          // how often the time to come is laid out; 0: DefaultDrawCount
	// MaxWaiting is how many jobs of the line are looked at, from its head; 0: all.
	MaxWaiting int
	// Only is the one job that is wanted: the time to come is laid out until it starts; 0: all.
	Only policy.JobID
	// Smaller are jobs of the line that stand for the one that is wanted, with less asked for: each is
	// estimated as if it were there alone in its stead, at no cost of its own. A start is sought no later
	// than the wanted one's, at which a smaller one would start at the latest.
	Smaller []policy.JobID
	// StepShare is how far one pass over the line is from the next at least, as a part of the time from now;
	// 0: a fiftieth. Longer steps are quicker and coarser.
	StepShare float64
}

// DefaultDrawCount is how often the time to come is laid out.
const DefaultDrawCount = 24

// Horizon is how far ahead starts are sought; a job that does not start by then in a draw counts
// as one that starts then.
const Horizon = 14 * 24 * time.Hour

// Band is when something will happen: before Early in one of ten cases, before Middle in one of
// two, after Late in one of ten.
type Band struct {
	Early  time.Time `json:"early"`
	Middle time.Time `json:"middle"`
	Late   time.Time `json:"late"`
}

// Estimate is when one job will start and end. The start of a running job is when it did start.
type Estimate struct {
	Job   policy.JobID `json:"job"`
	Start Band         `json:"start"`
	End   Band         `json:"end"`
}

// EstimateJobs estimates the jobs of the line and those that run, by job, or the one that is wanted, to
// the same. Equal inputs give equal estimates.
func EstimateJobs(in Input) []Estimate {
	m := newModel(&in)
	if in.Only != 0 && m.only == nil {
		return nil
	}
	for draw := range m.drawCount {
		m.runDraw(draw)
	}
	out := make([]Estimate, 0, len(m.jobs))
	for i := range m.jobs {
		j := &m.jobs[i]
		if m.only != nil && m.only != j {
			continue
		}
		e := Estimate{Job: j.ID, Start: m.bandOf(j.starts), End: m.bandOf(j.ends)}
		if j.HoldsGPUs() {
			e.Start = Band{j.Start, j.Start, j.Start}
		}
		out = append(out, e)
	}
	for i := range m.smaller {
		j := &m.smaller[i]
		out = append(out, Estimate{Job: j.ID, Start: m.bandOf(j.starts), End: m.bandOf(j.ends)})
	}
	slices.SortFunc(out, func(a, b Estimate) int { return int(a.Job - b.Job) })
	return out
}

// bandOf returns the band of what the draws say, in time from now.
func (m *model) bandOf(offsets []time.Duration) Band {
	slices.Sort(offsets)
	at := func(q float64) time.Time { return m.now.Add(quantile(offsets, q).Truncate(time.Second)) }
	return Band{at(.1), at(.5), at(.9)}
}

// quantile returns a quantile of sorted values, between two of them where it falls there.
func quantile[N time.Duration | float64](sorted []N, q float64) N {
	if len(sorted) == 0 {
		return 0
	}
	place := min(max(q*float64(len(sorted))-.5, 0), float64(len(sorted)-1))
	i := int(place)
	if i+1 == len(sorted) {
		return sorted[i]
	}
	return sorted[i] + N((place-float64(i))*float64(sorted[i+1]-sorted[i]))
}
