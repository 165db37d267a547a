package estimate_test

import (
	"testing"
	"time"

	"fairbridge/bridge/estimate"
)

func bandAfter(at time.Time, early, middle, late time.Duration) estimate.Band {
	return estimate.Band{Early: at.Add(early), Middle: at.Add(middle), Late: at.Add(late)}
}

// outcomes are estimates of bands from 2 to 4 hours ahead whose jobs waited evenly between two times.
func outcomes(n int, least, most time.Duration) []estimate.Outcome {
	var all []estimate.Outcome
	for i := range n {
		made := noon.Add(time.Duration(i-2*n) * time.Hour)
		wait := least + time.Duration(float64(most-least)*float64(i*37%n)/float64(n))
		all = append(all, estimate.Outcome{MadeAt: made, Start: bandAfter(made, 2*time.Hour, 3*time.Hour, 4*time.Hour), Started: made.Add(wait)})
	}
	return all
}

func TestCalibratedBandsHoldFourInFive(t *testing.T) {
	for _, real := range []struct{ least, most time.Duration }{{0, 20 * time.Hour}, {2 * time.Hour, 4 * time.Hour}, {170 * time.Minute, 190 * time.Minute}} {
		past := outcomes(400, real.least, real.most)
		b := estimate.NewCalibration(past, noon).Calibrate(noon, bandAfter(noon, 2*time.Hour, 3*time.Hour, 4*time.Hour))
		held := 0
		for _, o := range past {
			if w := o.Started.Sub(o.MadeAt); w >= b.Early.Sub(noon) && w <= b.Late.Sub(noon) {
				held++
			}
		}
		if share := float64(held) / float64(len(past)); share < .75 || share > .87 {
			t.Errorf("waits of %v to %v: the band %v to %v holds %.2f of them", real.least, real.most, b.Early.Sub(noon), b.Late.Sub(noon), share)
		}
		if !b.Middle.Equal(noon.Add(3 * time.Hour)) {
			t.Error("the middle moved")
		}
	}
}

func TestWithoutOutcomesBandsAreWidened(t *testing.T) {
	raw := bandAfter(noon, 2*time.Hour, 3*time.Hour, 4*time.Hour)
	for name, c := range map[string]*estimate.Calibration{"zero": {}, "of nothing": estimate.NewCalibration(nil, noon), "of another horizon": estimate.NewCalibration(outcomes(400, 0, 20*time.Hour), noon.Add(-2000*time.Hour))} {
		if b := c.Calibrate(noon, raw); !b.Early.Before(raw.Early) || !b.Late.After(raw.Late) || b.Early.Before(noon.Add(time.Hour)) || b.Late.After(noon.Add(9*time.Hour)) {
			t.Errorf("%s: %v to %v", name, b.Early.Sub(noon), b.Late.Sub(noon))
		}
	}
}

// Jobs that wait on after their band count as late, else only short waits would be known.
func TestJobsThatWaitOnAreLate(t *testing.T) {
	past := outcomes(100, 2*time.Hour, 4*time.Hour)
	raw := bandAfter(noon, 2*time.Hour, 3*time.Hour, 4*time.Hour)
	before := estimate.NewCalibration(past, noon).Calibrate(noon, raw)
	for i := range past {
		if i%3 == 0 {
			past[i].Started = time.Time{}
		}
	}
	after := estimate.NewCalibration(past, noon).Calibrate(noon, raw)
	if after.Late.Sub(noon) < 2*before.Late.Sub(noon) {
		t.Errorf("late edge %v, and %v once a third of the jobs wait on", before.Late.Sub(noon), after.Late.Sub(noon))
	}
}

// An estimate whose band is not past says nothing yet, whatever came of it.
func TestOpenBandsAreNotJudged(t *testing.T) {
	var open []estimate.Outcome
	for range 100 {
		open = append(open, estimate.Outcome{MadeAt: noon, Start: bandAfter(noon, 2*time.Hour, 3*time.Hour, 4*time.Hour), Started: noon.Add(time.Minute)})
	}
	raw := bandAfter(noon, 2*time.Hour, 3*time.Hour, 4*time.Hour)
	now := noon.Add(3 * time.Hour)
	if got, want := estimate.NewCalibration(open, now).Calibrate(noon, raw), estimate.NewCalibration(nil, now).Calibrate(noon, raw); got != want {
		t.Errorf("%v, want %v as without them", got, want)
	}
}
