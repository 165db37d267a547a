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
	HeldShare   float64       // of real starts within the band
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

// Calibrate replaces every band by the one calibrated by the looks that could be judged when it was
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
		l.Start = c.Calibrate(l.MadeAt, l.Start)
	}
}

// ScoreLooks scores the looks that a filter lets through; looks at jobs that never started are left
// out. nil: all.
func ScoreLooks(looks []Look, filter func(*Look) bool) Score {
	var s Score
	var errors, waits, shared, slurm []time.Duration
	held, early, late := 0, 0, 0
	for i := range looks {
		l := &looks[i]
		if l.Started.IsZero() || filter != nil && !filter(l) {
			continue
		}
		off := l.Started.Sub(l.Start.Middle).Abs()
		errors, waits = append(errors, off), append(waits, l.Started.Sub(l.MadeAt))
		switch {
		case l.Started.Add(Tolerance).Before(l.Start.Early):
			early++
		case !l.Started.Add(-Tolerance).After(l.Start.Late):
			held++
		default:
			late++
		}
		if !l.SlurmStart.IsZero() {
			shared, slurm = append(shared, off), append(slurm, l.Started.Sub(l.SlurmStart).Abs())
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
