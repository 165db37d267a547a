package estimate_test

import (
	"testing"
	"time"

	"fairbridge/policy"
)

// Errors of run times are shared: of a dozen jobs one after the other not all errors cancel out.
func TestErrorsOfRunTimesAreShared(t *testing.T) {
	var jobs []policy.Job
	var line []policy.JobID
	for id := policy.JobID(1); id <= 13; id++ {
		j := waiting(id, 8, time.Hour, 1000*time.Hour)
		j.PredictedSigma = time.Hour
		jobs, line = append(jobs, j), append(line, id)
	}
	got := estimateAll(scene(jobs...), line...)[13].Start
	if early, late := got.Early.Sub(noon), got.Late.Sub(noon); late < 5*early/2 || late > 9*early {
		t.Errorf("the last of a dozen starts after %v to %v: as if errors cancelled out, or did not at all", early, late)
	}
}

// Of a job that ran long much may be left, unless its prediction is a close one.
func TestWhoRanLongHasLongToGo(t *testing.T) {
	for _, c := range []struct{ sigma, limitLeft, want time.Duration }{
		{20 * time.Minute, 100 * time.Hour, 5 * time.Hour}, {20 * time.Minute, time.Hour, time.Hour}, {time.Minute, 100 * time.Hour, 10 * time.Minute},
	} {
		j := running(1, "n1", 8, 10*time.Minute, c.sigma, c.limitLeft)
		j.Start, j.Limit = noon.Add(-10*time.Hour), 10*time.Hour+c.limitLeft
		near(t, "its end", estimateAll(scene(j))[1].End.Middle, c.want)
	}
}
