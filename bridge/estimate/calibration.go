package estimate

import (
	"math"
	"slices"
	"time"
)

// Outcome is an estimate of a start, as EstimateJobs made it, and what came of it.
type Outcome struct {
	MadeAt  time.Time
	Start   Band
	Started time.Time // zero: the job still waits
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
// same site, each horizon by its own (split conformal quantiles of the logarithm of the wait). The
// zero value, and a horizon with few outcomes, widen them by what was seen in simulated days.
type Calibration struct {
	shiftByHorizon [len(Horizons) + 1]edgeShift
}

// edgeShift is what is added to the logarithms of the waits that the edges stand for.
type edgeShift struct{ early, late float64 }

// What stands for outcomes where there are none: so many, of which two in ten are off by so much.
const (
	assumedCount     = 10
	assumedEarlyMiss = -.5
	assumedLateMiss  = .7
)

// waitOffset is added to waits before their logarithms are taken: to the seconds nothing is known.
const waitOffset = time.Minute

// maxOutcomes is how many outcomes of a horizon are looked at, the latest.
const maxOutcomes = 1000

// NewCalibration learns from outcomes, which are sorted by when they were made, as of now. Those are
// judged whose band is past: which they are does not depend on what came of them, so that short
// waits, which are known first, count no more than long ones.
func NewCalibration(outcomes []Outcome, now time.Time) *Calibration {
	var missesByHorizon [len(Horizons) + 1]edgeMisses
	for i := range outcomes {
		o := &outcomes[i]
		if o.Start.Late.Before(now) {
			missesByHorizon[HorizonOf(o.Start.Middle.Sub(o.MadeAt))].add(o, now)
		}
	}
	c := &Calibration{}
	for i := range missesByHorizon {
		c.shiftByHorizon[i] = missesByHorizon[i].shift()
	}
	return c
}

// edgeMisses are the logarithms of real waits less those of the edges.
type edgeMisses struct{ early, late []float64 }

func (m *edgeMisses) add(o *Outcome, now time.Time) {
	wait := now.Sub(o.MadeAt) // at least, of a job that waits on
	if !o.Started.IsZero() && o.Started.Before(now) {
		wait = o.Started.Sub(o.MadeAt)
	}
	m.early = append(m.early, logWait(wait)-logWait(o.Start.Early.Sub(o.MadeAt)))
	m.late = append(m.late, logWait(wait)-logWait(o.Start.Late.Sub(o.MadeAt)))
}

// shift returns by how much the edges are to be moved so that one in ten waits lies beyond each.
func (m *edgeMisses) shift() edgeShift {
	first := max(len(m.early)-maxOutcomes, 0)
	early, late := slices.Clone(m.early[first:]), slices.Clone(m.late[first:])
	for i := range assumedCount {
		e, l := 0.0, 0.0
		if i < assumedCount/5 {
			e, l = assumedEarlyMiss, assumedLateMiss
		}
		early, late = append(early, e), append(late, l)
	}
	slices.Sort(early)
	slices.Sort(late)
	return edgeShift{quantile(early, .1), quantile(late, .9)}
}

func logWait(wait time.Duration) float64 {
	return math.Log((max(wait, 0) + waitOffset).Seconds())
}

// Calibrate returns the band of a start that was estimated at a moment, with its edges moved; the
// middle stays.
func (c *Calibration) Calibrate(madeAt time.Time, b Band) Band {
	s := c.shiftByHorizon[HorizonOf(b.Middle.Sub(madeAt))]
	if (*c == Calibration{}) {
		s = (&edgeMisses{}).shift()
	}
	move := func(edge time.Time, by float64) time.Time {
		wait := time.Duration(float64(max(edge.Sub(madeAt), 0)+waitOffset)*math.Exp(by)) - waitOffset
		return madeAt.Add(max(wait, 0).Truncate(time.Second))
	}
	early, late := move(b.Early, s.early), move(b.Late, s.late)
	if early.After(b.Middle) {
		early = b.Middle
	}
	if late.Before(b.Middle) {
		late = b.Middle
	}
	return Band{early, b.Middle, late}
}
