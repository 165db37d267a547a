package experiment

import (
	"testing"
	"time"

	"fairbridge/replica/study"
	"fairbridge/replica/workload"
)

// TestTimeLimits wants every plain job to have a limit that lets it run: its own, else
// the partition's, and where no job has any, one that is drawn by its number.
func TestTimeLimits(t *testing.T) {
	const day = 24 * time.Hour
	for _, c := range []struct {
		name   string
		limits []time.Duration // of jobs of 1 h, 2 h and 25 h
		from   study.LimitSource
		want   []time.Duration
	}{
		{"asked", []time.Duration{2 * time.Hour, 3 * time.Hour, 30 * time.Hour}, study.AskedLimits, []time.Duration{2 * time.Hour, 3 * time.Hour, 30 * time.Hour}},
		{"one without", []time.Duration{2 * time.Hour, 0, 30 * time.Hour}, study.PartitionLimits, []time.Duration{2 * time.Hour, 2 * day, 30 * time.Hour}},
		{"none", []time.Duration{0, 0, 0}, study.DrawnLimits, []time.Duration{
			workload.TimeLimitOfJob(1, 3600, 2*day), workload.TimeLimitOfJob(2, 7200, 2*day), workload.TimeLimitOfJob(3, 90000, 2*day),
		}},
	} {
		var jobs []workload.Job
		for i, d := range []float64{3600, 7200, 90000} {
			jobs = append(jobs, workload.Job{ID: int64(i + 1), GPUs: 1, Duration: d, TimeLimit: c.limits[i]})
		}
		s, err := study.NewScenario(study.Scenario{Name: c.name, Jobs: jobs, Nodes: nodes(t, "1x2:a100")}, false)
		if err != nil {
			t.Fatal(err)
		}
		if s.LimitSource != c.from || c.from.Describe() == "" {
			t.Errorf("%s: limits are %s, want %s", c.name, s.LimitSource, c.from)
		}
		for i := range s.Jobs {
			j := &s.Jobs[i]
			if j.TimeLimit != c.want[i] || j.TimeLimit.Seconds() < j.Duration || j.TimeLimit > 2*day {
				t.Errorf("%s: job %d of %g s has a limit of %v, want %v", c.name, j.ID, j.Duration, j.TimeLimit, c.want[i])
			}
		}
	}
}

// TestSlowGPUsLongLimits wants a limit that lets a job end on the slowest GPUs it can use.
func TestSlowGPUsLongLimits(t *testing.T) {
	jobs := []workload.Job{{ID: 1, GPUs: 1, Duration: 20 * 3600, Speeds: map[string]float64{"a100": 1, "k80": .25}}}
	s, err := study.NewScenario(study.Scenario{Jobs: jobs, Nodes: nodes(t, "1x1:a100,1x1:k80")}, false)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Jobs[0].TimeLimit; got < 80*time.Hour || got > 96*time.Hour {
		t.Errorf("the limit is %v, want 80 to 96 h", got)
	}
}
