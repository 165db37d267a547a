package estimate_test

import (
	"testing"
	"time"

	"fairbridge/bridge/estimate"
)

func bandAfter(at time.Time, early, middle, late time.Duration) estimate.Band {
	return estimate.Band{Early: at.Add(early), Middle: at.Add(middle), Late: at.Add(late)}
}

// calibrate moves the edges of a start.
func calibrate(c *estimate.Calibration, b estimate.Band) estimate.Band {
	return c.Calibrate(noon, estimate.Estimate{Start: b, End: b}).Start
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
		b := calibrate(estimate.NewCalibration(past, noon), bandAfter(noon, 2*time.Hour, 3*time.Hour, 4*time.Hour))
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
		if b := calibrate(c, raw); !b.Early.Before(raw.Early) || !b.Late.After(raw.Late) || b.Early.Before(noon.Add(time.Hour)) || b.Late.After(noon.Add(9*time.Hour)) {
			t.Errorf("%s: %v to %v", name, b.Early.Sub(noon), b.Late.Sub(noon))
		}
	}
}

// Jobs that wait on after their band count as late, else only short waits would be known.
func TestJobsThatWaitOnAreLate(t *testing.T) {
	past := outcomes(100, 2*time.Hour, 4*time.Hour)
	raw := bandAfter(noon, 2*time.Hour, 3*time.Hour, 4*time.Hour)
	before := calibrate(estimate.NewCalibration(past, noon), raw)
	for i := range past {
		if i%3 == 0 {
			past[i].Started = time.Time{}
		}
	}
	after := calibrate(estimate.NewCalibration(past, noon), raw)
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
	if got, want := calibrate(estimate.NewCalibration(open, now), raw), calibrate(estimate.NewCalibration(nil, now), raw); got != want {
		t.Errorf("%v, want %v as without them", got, want)
	}
}

// Ends are calibrated by what came of ends, and of runs that go on, apart from starts.
func TestEndsAreCalibratedByEnds(t *testing.T) {
	past := outcomes(400, 2*time.Hour, 4*time.Hour)
	for i := range past {
		o := &past[i]
		o.End, o.Ended = bandAfter(o.MadeAt, 3*time.Hour, 4*time.Hour, 5*time.Hour), o.Started.Add(time.Duration(i%10)*time.Hour)
	}
	raw := estimate.Estimate{Job: 1, Start: bandAfter(noon, 2*time.Hour, 3*time.Hour, 4*time.Hour), End: bandAfter(noon, 3*time.Hour, 4*time.Hour, 5*time.Hour)}
	got := estimate.NewCalibration(past, noon).Calibrate(noon, raw)
	held := 0
	for _, o := range past {
		if w := o.Ended.Sub(o.MadeAt); w >= got.End.Early.Sub(noon) && w <= got.End.Late.Sub(noon) {
			held++
		}
	}
	if held < 300 || held > 348 || got.End.Middle != raw.End.Middle || got.Job != 1 {
		t.Errorf("%+v holds %d of 400 ends", got, held)
	}
	for i := range past {
		past[i].Ended = time.Time{}
	}
	if longer := estimate.NewCalibration(past, noon).Calibrate(noon, raw); longer.Start != got.Start || !longer.End.Late.After(got.End.Late.Add(time.Hour)) {
		t.Errorf("%+v where no run has ended, %+v where they have", longer, got)
	}
	for i := range past {
		past[i].End = estimate.Band{}
	}
	none := (&estimate.Calibration{}).Calibrate(noon, raw)
	if unknown := estimate.NewCalibration(past, noon).Calibrate(noon, raw); unknown.Start != got.Start || unknown.End.Late != none.End.Late {
		t.Errorf("%+v where no ends are known", unknown)
	}
}

// No edge of an end comes before the same of the start.
func TestNoEndBeforeItsStart(t *testing.T) {
	past := outcomes(400, 10*time.Hour, 20*time.Hour)
	for i := range past {
		past[i].End, past[i].Ended = bandAfter(past[i].MadeAt, 3*time.Hour, 4*time.Hour, 5*time.Hour), past[i].MadeAt.Add(time.Minute)
	}
	b := bandAfter(noon, 2*time.Hour, 3*time.Hour, 4*time.Hour)
	got := estimate.NewCalibration(past, noon).Calibrate(noon, estimate.Estimate{Start: b, End: bandAfter(noon, 3*time.Hour, 4*time.Hour, 5*time.Hour)})
	if got.End.Early.Before(got.Start.Early) || got.End.Late.Before(got.Start.Late) || got.Start.Late.Sub(noon) < 10*time.Hour {
		t.Errorf("%+v", got)
	}
}
