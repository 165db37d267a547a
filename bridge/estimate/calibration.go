package estimate

import (
	"math"
	"slices"
	"time"
)

// Outcome is an estimate of a start and an end, as EstimateJobs made it, and what came of it.
type Outcome struct {
	MadeAt  time.Time
	Start   Band
	Started time.Time // zero: the job still waits
	End     Band      // zero: not known
	Ended   time.Time // of the run that began at Started; zero: it still runs, or waits
}

// Horizons are the times ahead by which estimates are told apart where they are judged: an estimate
// belongs to the first that its middle is not beyond, or to one more.
var Horizons = [...]time.Duration{10 * time.Minute, time.Hour, 6 * time.Hour, 24 * time.Hour}

// HorizonOf returns the place in Horizons of a start so far ahead; len(Horizons): beyond all.
func HorizonOf(ahead time.Duration) int {
	i, _ := slices.BinarySearch(Horizons[:], ahead)
	return i
}

// Calibration stretches the edges of bands by how far those of earlier estimates were off at the
// same site, each horizon by its own, starts and ends apart (split conformal quantiles of the
// logarithm of the wait), and corrects chances by what came of those that were told. The zero value, and a horizon with few outcomes, move them by what was seen
// in simulated days.
type Calibration struct {
	starts, ends [horizonCount]learntShift
	promises     promiseCorrection // zero: nothing was learnt
}

const horizonCount = len(Horizons) + 1

// edgeShift is what is added to the logarithms of the waits that the edges stand for.
type edgeShift struct{ early, late float64 }

// learntShift is one that so many outcomes ask for.
type learntShift struct {
	edgeShift
	outcomeCount int
}

// What stands for outcomes where there are none, by horizon: by how much the edges have to move in
// simulated half days and windows of a trace that begin without history. What seems near comes later,
// since jobs are submitted that go first; what seems far away may come much sooner. No band is made
// narrower before its own site says so.
var (
	assumedStarts = [horizonCount]edgeShift{{0, .4}, {-.1, .9}, {-.25, .15}, {-.6, 0}, {-.2, .1}}
	assumedEnds   = [horizonCount]edgeShift{{0, .25}, {0, .8}, {-.1, .15}, {-.9, 0}, {-5, .1}}
)

// assumedCount is how many outcomes take two thirds from the weight of what is assumed. Looks at jobs of
// one queue are off alike, so that dozens of them tell little more than a few would that had nothing
// to do with each other; after several times as many, what is assumed counts for nothing.
const assumedCount = 50

// blend returns the shift of what was learnt and what is assumed.
func (l *learntShift) blend(assumed edgeShift) edgeShift {
	w := math.Exp(-float64(l.outcomeCount) / assumedCount)
	return edgeShift{(1-w)*l.early + w*assumed.early, (1-w)*l.late + w*assumed.late}
}

// waitOffset is added to waits before their logarithms are taken: to the seconds nothing is known.
const waitOffset = time.Minute

// maxOutcomes is how many outcomes of a horizon are looked at, the latest.
const maxOutcomes = 1000

// NewCalibration learns from outcomes, which are sorted by when they were made, as of now. Those are
// judged whose band is past: which they are does not depend on what came of them, so that short
// waits, which are known first, count no more than long ones.
func NewCalibration(outcomes []Outcome, now time.Time) *Calibration {
	var starts, ends [horizonCount]edgeMisses
	for i := range outcomes {
		o := &outcomes[i]
		addMiss(&starts, o.MadeAt, o.Start, o.Started, now)
		if o.End != (Band{}) {
			addMiss(&ends, o.MadeAt, o.End, o.Ended, now)
		}
	}
	c := &Calibration{}
	for i := range horizonCount {
		c.starts[i], c.ends[i] = starts[i].shift(), ends[i].shift()
	}
	return c
}

// edgeMisses are the logarithms of real waits less those of the edges.
type edgeMisses struct{ early, late []float64 }

// addMiss adds to its horizon a band that is past, and when what it is of happened; zero: not yet.
func addMiss(missesByHorizon *[horizonCount]edgeMisses, madeAt time.Time, b Band, happened, now time.Time) {
	if !b.Late.Before(now) {
		return
	}
	wait := now.Sub(madeAt) // at least, of what has not happened
	if !happened.IsZero() && happened.Before(now) {
		wait = happened.Sub(madeAt)
	}
	m := &missesByHorizon[HorizonOf(b.Middle.Sub(madeAt))]
	m.early = append(m.early, logWait(wait)-logWait(b.Early.Sub(madeAt)))
	m.late = append(m.late, logWait(wait)-logWait(b.Late.Sub(madeAt)))
}

// shift returns by how much the edges are to be moved so that one in ten waits lies beyond each.
func (m *edgeMisses) shift() learntShift {
	first := max(len(m.early)-maxOutcomes, 0)
	early, late := slices.Sorted(slices.Values(m.early[first:])), slices.Sorted(slices.Values(m.late[first:]))
	return learntShift{edgeShift{quantile(early, .1), quantile(late, .9)}, len(early)}
}

func logWait(wait time.Duration) float64 {
	return math.Log((max(wait, 0) + waitOffset).Seconds())
}

// Calibrate returns an estimate that was made at a moment, with the edges of its bands moved; the
// middles stay, and no edge of the end comes before the same of the start.
func (c *Calibration) Calibrate(madeAt time.Time, e Estimate) Estimate {
	start, end := HorizonOf(e.Start.Middle.Sub(madeAt)), HorizonOf(e.End.Middle.Sub(madeAt))
	e.Start = e.Start.moveEdges(madeAt, c.starts[start].blend(assumedStarts[start]))
	e.End = e.End.moveEdges(madeAt, c.ends[end].blend(assumedEnds[end]))
	if e.End.Early.Before(e.Start.Early) {
		e.End.Early = e.Start.Early
	}
	if e.End.Late.Before(e.Start.Late) {
		e.End.Late = e.Start.Late
	}
	return e
}

// moveEdges returns the band with its edges moved as far as its middle allows.
func (b Band) moveEdges(madeAt time.Time, by edgeShift) Band {
	move := func(edge time.Time, by float64) time.Time {
		wait := time.Duration(float64(max(edge.Sub(madeAt), 0)+waitOffset)*math.Exp(by)) - waitOffset
		return madeAt.Add(max(wait, 0).Truncate(time.Second))
	}
	early, late := move(b.Early, by.early), move(b.Late, by.late)
	if early.After(b.Middle) {
		early = b.Middle
	}
	if late.Before(b.Middle) {
		late = b.Middle
	}
	return Band{early, b.Middle, late}
}
