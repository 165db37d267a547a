// Package estimate says when jobs will start and end: it lays out the time to come some dozens
// of times, each time with other run times drawn from what is predicted of every job, and
// starts the waiting jobs in Slurm's order as Slurm would: those that fit, and past a job that
// does not fit only those whose time limits keep out of its way. The quantiles of what comes of it
// are the estimate. Jobs that are yet to be submitted are not in it; Calibration widens and shifts
// the quantiles by how far earlier estimates of the same site were off.
package estimate

import (
	"math"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/pool"
	"fairbridge/policy/scaling"
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

// ChanceOfRun returns how likely, from .05 to .95, a running job of a snapshot is done by a time, from what is thought
// to be left of its run: its reports, its prediction or its time limit. A run that its time limit would end first is not
// done. likelyBy is by when it is done with a chance; zero: its time limit may come before.
func ChanceOfRun(s *policy.Snapshot, j *policy.Job, by time.Time, likely float64) (chance float64, likelyBy time.Time) {
	left := newTimeLeftFunc(s, pool.New(s))(j, scaling.HeldPace(j))
	wait := by.Sub(s.Now)
	if left.most > 0 {
		wait = min(wait, left.most)
	}
	if chance = leastChance; wait > 0 {
		chance = min(max(left.chanceWithin(wait), leastChance), mostChance)
	}
	if at := left.quantile(likely); left.most == 0 || at <= left.most {
		likelyBy = s.Now.Add(time.Duration(math.Ceil(at.Minutes())) * time.Minute)
	}
	return chance, likelyBy
}

// chanceWithin is how likely no more than a time, above zero, is left.
func (t *timeLeft) chanceWithin(wait time.Duration) float64 {
	return .5 * math.Erfc(-math.Log(wait.Seconds()/t.median.Seconds())/(t.logSigma*math.Sqrt2))
}

// quantile is the time within which what is left is done with a chance, whatever the limit.
func (t *timeLeft) quantile(chance float64) time.Duration {
	return policy.DurationFromSeconds(t.median.Seconds() * math.Exp(t.logSigma*math.Sqrt2*math.Erfinv(2*chance-1)))
}

// smallerJob stands for the job that is wanted, with less asked for. It takes no room, so that one layout of the
// time to come serves all of them: it is looked for room in its turn, the place kept for the wanted job
// counts as its own, and it starts no later than that.
type smallerJob struct {
	modelJob
	place int // of the line: the job that it goes before
}

// addSmaller adds a job that stands for the wanted one, at the place in line that has been reached.
func (m *model) addSmaller(w modelJob, rooms map[roomKey]int) {
	w.room = numberOf(rooms, roomKey{standIn: w.ID})
	m.smaller = append(m.smaller, smallerJob{w, len(m.jobs) - m.runCount})
}

// trySmaller looks for room for those that go before a place in line and have not started in this draw.
func (f *future) trySmaller(place int) {
	for ; f.triedSmaller < len(f.smaller) && f.smaller[f.triedSmaller].place <= place; f.triedSmaller++ {
		j := &f.smaller[f.triedSmaller]
		if len(j.starts) > f.draw || j.eligible > f.at {
			continue
		}
		others := slices.DeleteFunc(slices.Clone(f.reservations), func(r reservation) bool { return r.of == f.only })
		if f.findRoom(&j.modelJob, others) != nil {
			j.addStart(f.at, f.lengthOf(&j.modelJob))
		}
	}
}

// endSmaller lets those that did not start in this draw start with the wanted job.
func (f *future) endSmaller() {
	for i := range f.smaller {
		j := &f.smaller[i]
		if len(j.starts) > f.draw {
			continue
		}
		at := Horizon
		if f.only != nil && len(f.only.starts) > f.draw {
			at = f.only.starts[f.draw]
		}
		j.addStart(at, f.lengthOf(&j.modelJob))
	}
}

// Bounds of a chance: three quantiles of a band tell nothing surer, as promises about simulated days showed.
const leastChance, mostChance = .05, .95

// edgeLogit is the logarithm of the odds of nine in ten, which the edges of a band stand for.
var edgeLogit = math.Log(9)

// ownersPart is how much of what a deadline tells of its job's run is believed: whoever sets one does not set it before the
// job could be done if it started at once. Chosen on drawn days 10 to 29 and one stretch of Philly (lab/startscore).
const ownersPart = .5

// RunTime is how long a waiting job is thought to run on what it asks, were it to start at once. The zero value is not known.
type RunTime struct{ left timeLeft }

// NewRunTimes returns what tells the run times of waiting jobs of a snapshot.
func NewRunTimes(s *policy.Snapshot) func(*policy.Job) RunTime {
	left := newTimeLeftFunc(s, pool.New(s))
	return func(j *policy.Job) RunTime { return RunTime{left(j, scaling.Pace{Speed: 1})} }
}

// chanceWithin is how likely the job runs no longer than a time above zero.
func (r *RunTime) chanceWithin(wait time.Duration) float64 {
	if r.left.median <= 0 || r.left.most > 0 && wait >= r.left.most {
		return 1
	}
	return r.left.chanceWithin(wait)
}

// Chances are how likely a waiting job of which the end was estimated is done by which time.
type Chances struct {
	madeAt  time.Time
	end     Band
	run     RunTime
	correct promiseCorrection
}

// Chances returns those of a job, from its end as it was calibrated at a moment.
func (c *Calibration) Chances(madeAt time.Time, end Band, run RunTime) *Chances {
	return &Chances{madeAt, end, run, c.promises.orAssumed()}
}

// By returns how likely, from .05 to .95, the job is done by a deadline that its owner sets.
func (c *Chances) By(deadline time.Time) float64 {
	return min(max(c.correct.apply(c.Uncorrected(deadline)), leastChance), mostChance)
}

// Uncorrected is By before what came of earlier promises corrects it: what correcting learns from.
func (c *Chances) Uncorrected(deadline time.Time) float64 {
	wait := deadline.Sub(c.madeAt)
	if wait <= 0 {
		return leastPromise
	}
	chance, alone := c.end.chanceBy(c.madeAt, deadline), c.run.chanceWithin(wait)
	return min(max(chance/math.Pow(max(alone, chance), ownersPart), leastPromise), 1-leastPromise)
}

// longestAhead bounds by when something is said to be likely.
const longestAhead = 10 * 365 * 24 * time.Hour

// TimeOf returns the first deadline, to the minute, of which By is a chance, which is at most .95.
func (c *Chances) TimeOf(chance float64) time.Time {
	tooSoon, enough := time.Duration(0), time.Minute
	for c.By(c.madeAt.Add(enough)) < min(chance, mostChance) && enough < longestAhead {
		tooSoon, enough = enough, 2*enough
	}
	for enough-tooSoon > time.Minute {
		if mid := (tooSoon + enough) / 2; c.By(c.madeAt.Add(mid)) < chance {
			tooSoon = mid
		} else {
			enough = mid
		}
	}
	return c.madeAt.Add(enough).Add(time.Minute - 1).Truncate(time.Minute)
}

// chanceBy returns how likely it is that what a band is of, estimated at a moment, happens by a time: the logarithm of
// the wait is distributed about its middle with a spread of its own on either side (logistic).
func (b Band) chanceBy(madeAt, by time.Time) float64 {
	early, middle, late := logWait(b.Early.Sub(madeAt)), logWait(b.Middle.Sub(madeAt)), logWait(b.Late.Sub(madeAt))
	off, spread := logWait(by.Sub(madeAt))-middle, middle-early
	if off > 0 {
		spread = late - middle
	}
	return logistic(edgeLogit * off / max(spread, minLogSigma/10))
}

func logistic(logit float64) float64 { return 1 / (1 + math.Exp(-logit)) }
