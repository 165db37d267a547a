package neighbours_test

import (
	"math"
	"testing"
	"time"

	"fairbridge/lab/neighbours"
	"fairbridge/policy"
	"fairbridge/replica/workload"
)

// told remembers the last snapshot it was asked about.
type told struct{ jobs []policy.Job }

func (p *told) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	p.jobs = append([]policy.Job{}, s.Jobs...)
	return &policy.Plan{}, nil
}

// TestCounters: what is read of jobs that run is the truth in the mean, with the errors that were asked for; nothing is told of a
// job that waits; jobs on one GPU read what both use.
func TestCounters(t *testing.T) {
	p, start := &told{}, time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	jobs := []workload.Job{*busy(1, .4), *busy(2, .3), *busy(3, .9), *busy(4, .2)}
	c := neighbours.NewCounters(p, jobs)
	c.Swing = 0
	on := func(gpu int) policy.Alloc {
		return policy.Alloc{{Node: "n1", Type: "v100", Count: 1, Devices: policy.NewDeviceSet(gpu)}}
	}
	s := &policy.Snapshot{Jobs: []policy.Job{{ID: 1, On: on(0)}, {ID: 2, On: on(1)}, {ID: 3, State: policy.Pending}, {ID: 4, On: on(1)}}}
	for i := range s.Jobs {
		s.Jobs[i].Start = start
		if s.Jobs[i].On != nil {
			s.Jobs[i].State = policy.Running
		}
	}
	mean, square, missing := make([]float64, 4), 0.0, 0
	const n = 2000
	for k := range n {
		s.Now = start.Add(time.Hour + time.Duration(k)*time.Minute)
		if _, err := c.Decide(s); err != nil {
			t.Fatal(err)
		}
		for i, j := range p.jobs {
			if j.Sharing.Utilisation.Known || i == 2 && j.Utilisation.Known {
				t.Fatalf("told of job %d: %+v", j.ID, j)
			}
			mean[i] += j.Utilisation.Value / n / .9
		}
		if u := p.jobs[0].Utilisation; u.Known {
			square += (u.Value - .4) * (u.Value - .4) / n / .9
		} else {
			missing++
		}
	}
	if math.Abs(mean[0]-.4) > .01 || math.Abs(mean[1]-.5) > .01 || math.Abs(mean[3]-.5) > .01 {
		t.Errorf("means %.3f, want .4, .5 and .5", mean)
	}
	if math.Abs(math.Sqrt(square)-.08) > .005 || math.Abs(float64(missing)/n-.1) > .02 {
		t.Errorf("readings err by %.3f, want .08; %d of %d are missing", math.Sqrt(square), missing, n)
	}
	if s.Jobs[0].Utilisation.Known || s.Jobs[0].Sharing != nil {
		t.Error("the snapshot was changed")
	}
}

// TestSwing: what a job uses goes up and down by no more than that, and later than that it is told.
func TestSwing(t *testing.T) {
	c := neighbours.NewCounters(&told{}, []workload.Job{*busy(1, .4)})
	low, high := 1.0, 0.0
	for k := range 3600 {
		used := c.UsedAt(1, time.Unix(int64(k), 0))
		low, high = min(low, used), max(high, used)
	}
	if math.Abs(low-.34) > 1e-3 || math.Abs(high-.46) > 1e-3 {
		t.Errorf("between %.3f and %.3f, want .34 and .46", low, high)
	}
}
