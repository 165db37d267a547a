package runs

import (
	"testing"
	"time"

	"fairbridge/bridge/slurm"
)

// TestCountUnstartedJobs: jobs that wait still and jobs that ended first are told apart; those
// that ran once, that arrived at another time or in another partition do not count.
func TestCountUnstartedJobs(t *testing.T) {
	d := fresh(t)
	run := running(1, t0, sec(10))
	pending := func(id int64, submit time.Time, change func(*slurm.Job)) slurm.Job {
		return with(run, func(j *slurm.Job) {
			j.ID, j.Submit, j.State, j.Start, j.Nodes, j.GresDetail = id, submit, "PENDING", time.Time{}, slurm.Hosts{}, nil
			if change != nil {
				change(j)
			}
		})
	}
	cancelled := func(j *slurm.Job) { j.State, j.End = "CANCELLED", sec(30) }
	requeued := with(run, func(j *slurm.Job) {
		j.Submit, j.Restarts, j.State, j.Start, j.Nodes, j.GresDetail = sec(60), 1, "PENDING", time.Time{}, slurm.Hosts{}, nil
	})
	for _, v := range []*slurm.View{
		view(sec(20), run, pending(2, t0, nil), pending(3, t0, nil), pending(4, sec(15), nil)),
		view(sec(40), run, pending(2, t0, nil), pending(3, t0, cancelled), pending(4, sec(15), cancelled), pending(5, sec(30), nil)),
		view(sec(70), requeued, pending(2, t0, nil), pending(5, sec(30), nil), pending(6, sec(65), nil)),
	} {
		if err := d.RecordView(t.Context(), v); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		partition      string
		since, until   time.Time
		waiting, ended int
	}{
		{run.PartitionText(), t0, sec(60), 2, 2},
		{run.PartitionText(), sec(10), sec(100), 2, 1},
		{"none", t0, sec(100), 0, 0},
	} {
		waiting, ended, err := d.CountUnstartedJobs(t.Context(), testCluster, c.partition, c.since, c.until)
		if err != nil || waiting != c.waiting || ended != c.ended {
			t.Errorf("partition %s from %v to %v: %d wait and %d ended (%v), want %d and %d", c.partition, c.since, c.until, waiting, ended, err, c.waiting, c.ended)
		}
	}
}
