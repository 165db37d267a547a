package startscore

import (
	"slices"
	"time"

	"fairbridge/bridge/estimate"
)

// Tolerance is by how much a start may miss a band and still count as held: Slurm plans in minutes.
const Tolerance = time.Minute

// Score is how good estimates were.
type Score struct {
	LookCount   int
	HeldShare   float64       // of real starts, or ends, within the band
	EarlyShare  float64       // before it
	LateShare   float64       // after it
	MedianError time.Duration // absolute, of the middle
	MedianWait  time.Duration // that was to be estimated
	SharedCount int           // looks at which Slurm had an estimate too
	SharedError time.Duration // MedianError of those
	SlurmError  time.Duration // Slurm's for the same
}

// ErrorRatio is our median error over Slurm's at the same looks; 0 where there is none of Slurm.
func (s *Score) ErrorRatio() float64 {
	if s.SlurmError <= 0 {
		return 0
	}
	return s.SharedError.Seconds() / s.SlurmError.Seconds()
}

// Calibrate replaces all bands by those calibrated by the looks that could be judged when it was
// made; the looks are those of one site, by time.
func Calibrate(looks []Look) {
	outcomes := make([]estimate.Outcome, len(looks))
	for i := range looks {
		outcomes[i] = looks[i].Outcome
	}
	c := &estimate.Calibration{}
	for i := range looks {
		l := &looks[i]
		if i == 0 || !l.MadeAt.Equal(looks[i-1].MadeAt) {
			c = estimate.NewCalibration(outcomes[:i], l.MadeAt)
		}
		e := c.Calibrate(l.MadeAt, estimate.Estimate{Start: l.Start, End: l.End})
		l.Start, l.End = e.Start, e.End
	}
}

// ScoreLooks scores the starts of the looks that a filter lets through; looks at jobs that never started
// are left out. nil: all.
func ScoreLooks(looks []Look, filter func(*Look) bool) Score {
	return scoreBands(looks, filter, func(l *Look) (estimate.Band, time.Time, time.Time) { return l.Start, l.Started, l.SlurmStart })
}

// ScoreEnds scores their ends, of which Slurm has no estimate.
func ScoreEnds(looks []Look, filter func(*Look) bool) Score {
	return scoreBands(looks, filter, func(l *Look) (estimate.Band, time.Time, time.Time) { return l.End, l.Ended, time.Time{} })
}

// scoreBands scores what of says of a look: the band, when it happened, and Slurm's estimate.
func scoreBands(looks []Look, filter func(*Look) bool, of func(*Look) (b estimate.Band, happened, bySlurm time.Time)) Score {
	var s Score
	var errors, waits, shared, slurm []time.Duration
	held, early, late := 0, 0, 0
	for i := range looks {
		l := &looks[i]
		b, happened, bySlurm := of(l)
		if happened.IsZero() || filter != nil && !filter(l) {
			continue
		}
		off := happened.Sub(b.Middle).Abs()
		errors, waits = append(errors, off), append(waits, happened.Sub(l.MadeAt))
		switch {
		case happened.Add(Tolerance).Before(b.Early):
			early++
		case !happened.Add(-Tolerance).After(b.Late):
			held++
		default:
			late++
		}
		if !bySlurm.IsZero() {
			shared, slurm = append(shared, off), append(slurm, happened.Sub(bySlurm).Abs())
		}
	}
	s.LookCount, s.SharedCount = len(errors), len(shared)
	if n := float64(len(errors)); n > 0 {
		s.HeldShare, s.EarlyShare, s.LateShare = float64(held)/n, float64(early)/n, float64(late)/n
	}
	s.MedianError, s.MedianWait, s.SharedError, s.SlurmError = median(errors), median(waits), median(shared), median(slurm)
	return s
}

func median(values []time.Duration) time.Duration {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return (values[(len(values)-1)/2] + values[len(values)/2]) / 2
}
