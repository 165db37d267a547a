package shadow

import (
	"math"
	"slices"
	"testing"

	"fairbridge/replica/measure"
	"fairbridge/replica/replay"
	"fairbridge/replica/workload"
)

// TestRunTimesAreDrawn: half of the jobs have more left than the median, five of six less than was said of them, none
// more than their limit leaves; a job that ended, and one of which nothing more is known, keep what they have.
func TestRunTimesAreDrawn(t *testing.T) {
	unended := map[int64]replay.UnendedJob{-1: {Ran: 50, Left: 600, UpperLeft: 600}}
	jobs := []workload.Job{{ID: -2, Duration: 77}, {ID: -1, Duration: 650}}
	for id := range int64(2000) {
		unended[id] = replay.UnendedJob{Ran: 100, Left: 600, UpperLeft: 1800, MostLeft: 3000}
		jobs = append(jobs, workload.Job{ID: id, Duration: 700})
	}
	again := slices.Clone(jobs)
	drawRunTimes(jobs, unended, 7)
	drawRunTimes(again, unended, 7)
	if !slices.EqualFunc(jobs, again, func(a, b workload.Job) bool { return a.Duration == b.Duration }) || jobs[0].Duration != 77 || jobs[1].Duration != 650 {
		t.Errorf("drawn twice: %v, %v", jobs[:4], again[:4])
	}
	below := func(limit float64) (part float64) {
		for _, j := range jobs[2:] {
			if j.Duration <= limit {
				part += 1 / 2000.
			}
		}
		return part
	}
	for limit, want := range map[float64]float64{99: 0, 700: .5, 1900: .84, 3100: 1} {
		if got := below(limit); math.Abs(got-want) > .03 {
			t.Errorf("%g of the jobs run for %g s or less, want %g", got, limit, want)
		}
	}
}

// TestRunTimesAreRestored: a job has the run time of the scenario again, and waited as long.
func TestRunTimesAreRestored(t *testing.T) {
	r := &measure.Run{JobOutcomes: []measure.JobOutcome{{ID: 1, Arrive: 100, Start: 400, Finish: 2400, ExclusiveRunSeconds: 2000}, {ID: 2, Arrive: 0, Start: 10, Finish: 20, ExclusiveRunSeconds: 10}}}
	restoreRunTimes(r, map[int64]replay.UnendedJob{1: {Ran: 100, Left: 600}})
	if o := r.JobOutcomes[0]; o.ExclusiveRunSeconds != 700 || o.Finish != 1100 || WaitOf(&o) != 300 || r.JobOutcomes[1].Finish != 20 {
		t.Errorf("%+v", r.JobOutcomes)
	}
}
