package optimus

import (
	"math"

	"fairbridge/policy"
)

// lossCurve is loss(k) = 1/(Rate*k + Start) + Floor after k steps.
type lossCurve struct{ Rate, Start, Floor float64 }

func (c lossCurve) at(step float64) float64 { return 1/(c.Rate*step+c.Start) + c.Floor }

// What the fit of a loss curve goes by.
const (
	minLosses     = 5       // fewer points say nothing of a curve
	segments      = 3       // points count in so many equal segments,
	segmentWeight = 4       // each by so much more than the one before
	floorTries    = 64      // floors tried at first
	floorTurns    = 60      // turns of the search between the best two
	epochsToFall  = 10      // in so many epochs a loss that has not converged falls
	maxEpochs     = 100     // no job is thought to train longer
	golden        = .618034 // of an interval is kept in a turn
)

// fitLosses fits the curve to what a job reported, newer points more than older ones. ok is
// false for too few points, or losses that are not positive or do not fall.
func fitLosses(points []policy.LossPoint) (best lossCurve, ok bool) {
	least, most := math.Inf(1), 0.
	for _, p := range points {
		if !(p.Loss > 0) || math.IsInf(p.Loss, 0) || !(p.Step >= 0) || math.IsInf(p.Step, 0) {
			return lossCurve{}, false
		}
		least, most = min(least, p.Loss), max(most, p.Loss)
	}
	if len(points) < minLosses || least == most {
		return lossCurve{}, false
	}
	// The error over the floor is smooth, but need not have one valley only.
	at, error := 0., math.Inf(1)
	step := least / floorTries
	for i := range floorTries {
		if _, e := fitAboveFloor(points, float64(i)*step); e < error {
			at, error = float64(i)*step, e
		}
	}
	low, high := max(at-step, 0), min(at+step, least*(1-1e-9))
	for range floorTurns {
		a, b := high-golden*(high-low), low+golden*(high-low)
		_, x := fitAboveFloor(points, a)
		if _, y := fitAboveFloor(points, b); x <= y {
			high = b
		} else {
			low = a
		}
	}
	best, _ = fitAboveFloor(points, (low+high)/2)
	return best, best.Rate > 0
}

// fitAboveFloor fits 1/(loss - floor) by a line that does not fall, and returns the error of
// the losses themselves.
func fitAboveFloor(points []policy.LossPoint, floor float64) (lossCurve, float64) {
	scale := max(points[len(points)-1].Step, 1)
	var l lineFit
	for i, p := range points {
		above := p.Loss - floor
		w := weightOf(i, len(points)) * above * above // as an error of the inverse is one of the loss
		l.add(w*p.Step/scale, w, w/above)
	}
	slope, start := l.solve()
	c := lossCurve{slope / scale, start, floor}
	error := 0.
	for i, p := range points {
		off := weightOf(i, len(points)) * (c.at(p.Step) - p.Loss)
		error += off * off
	}
	if math.IsNaN(error) {
		error = math.Inf(1)
	}
	return c, error
}

// weightOf is how much a point counts, of so many.
func weightOf(i, points int) float64 {
	w := 1.
	for range i * segments / points {
		w *= segmentWeight
	}
	return w
}

// lineFit sums up what least squares of a line need whose slope and start must not be negative.
// It is descent.LeastSquares for two unknowns, without its rows: a fit of losses takes hundreds.
type lineFit struct{ xx, xw, ww, xy, wy float64 }

func (l *lineFit) add(x, w, y float64) {
	l.xx, l.xw, l.ww, l.xy, l.wy = l.xx+x*x, l.xw+x*w, l.ww+w*w, l.xy+x*y, l.wy+w*y
}

// solve returns the best line: the one that nothing forbids, else the better of those with one
// of the two at 0.
func (l *lineFit) solve() (slope, start float64) {
	det := l.xx*l.ww - l.xw*l.xw
	slope, start = (l.ww*l.xy-l.xw*l.wy)/det, (l.xx*l.wy-l.xw*l.xy)/det
	if det > 0 && slope >= 0 && start >= 0 {
		return slope, start
	}
	flat, steep := max(l.wy, 0)/l.ww, max(l.xy, 0)/l.xx
	if !(l.xx > 0) || flat*l.wy >= steep*l.xy { // by how much each lessens the error
		return 0, flat
	}
	return steep, 0
}

// stepsToConverge returns how many steps a job has left until its fitted loss falls by less
// than a part of it in ten epochs; ok is false where its losses do not say.
func stepsToConverge(t *policy.Training, threshold float64) (steps float64, ok bool) {
	c, ok := fitLosses(t.Losses)
	if !ok {
		return 0, false
	}
	last := t.Losses[len(t.Losses)-1].Step
	epoch := (last - t.Losses[0].Step) / float64(len(t.Losses)-1) // a report is taken for an epoch
	if t.EpochsDone > 0 && t.StepsDone > 0 {
		epoch = t.StepsDone / float64(t.EpochsDone)
	}
	done := max(t.StepsDone, last)
	if !(epoch > 0) {
		return 0, false
	}
	for n := 0.; n < maxEpochs; n++ {
		now := c.at(done + n*epoch)
		if now-c.at(done+(n+epochsToFall)*epoch) < threshold*now {
			return max(n, 1) * epoch, true
		}
	}
	return maxEpochs * epoch, true
}
