package sharing

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"fairbridge/policy"
	"fairbridge/replica/workload"
)

// profiler is a policy that is told of jobs beside neighbours what probes would have measured of them
// until then, as live: nothing of a job before it ran for a while, or another of the same name of
// the same user did; and then not exactly.
type profiler struct {
	policy.Policy               // is told
	After         time.Duration // how long a job runs before it is measured; 0: 200 s
	Noise         float64       // standard error of a measured utilisation; 0: it is exact
	Seed          uint64        // of the noise
	truth         map[policy.JobID]*policy.Sharing
	byKind        map[kind]measurement
	own           map[policy.JobID]measurement
	jobs          []policy.Job
}

// kind is what jobs are alike by.
type kind struct{ user, name string }

// measurement is what was measured of a job.
type measurement struct {
	memMB int64
	busy  float64
}

// newProfiler returns a profiler for a policy and a workload, of whose jobs Job.Sharing is the truth.
func newProfiler(p policy.Policy, jobs []workload.Job) *profiler {
	f := &profiler{
		Policy: p,
		truth:  map[policy.JobID]*policy.Sharing{},
		byKind: map[kind]measurement{},
		own:    map[policy.JobID]measurement{},
	}
	for i := range jobs {
		f.truth[policy.JobID(jobs[i].ID)] = jobs[i].Sharing
	}
	return f
}

// Decide implements policy.Policy.
func (f *profiler) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	after := f.After
	if after == 0 {
		after = 200 * time.Second
	}
	told := *s
	f.jobs = append(f.jobs[:0], s.Jobs...)
	told.Jobs = f.jobs
	for i := range f.jobs {
		if j := &f.jobs[i]; j.HoldsGPUs() && max(j.Ran(s.Now), j.TotalRunTime()) >= after {
			f.measure(j)
		}
	}
	for i := range f.jobs {
		f.tell(&f.jobs[i])
	}
	return f.Policy.Decide(&told)
}

// measure notes what is measured of a job that runs, once.
func (f *profiler) measure(j *policy.Job) {
	truth := f.truth[j.ID]
	if _, known := f.own[j.ID]; known || truth == nil {
		return
	}
	off := f.Noise * rand.New(rand.NewPCG(f.Seed, uint64(j.ID))).NormFloat64()
	m := measurement{truth.MemMB, math.Max(0, math.Min(truth.Utilisation.Value+off, 1))}
	f.own[j.ID], f.byKind[kind{j.User, j.Name}] = m, m
}

// tell adds what is known of the job to what the policy sees of it.
func (f *profiler) tell(j *policy.Job) {
	terms := policy.Sharing{}
	if truth := f.truth[j.ID]; truth != nil {
		terms = policy.Sharing{
			JobsPerGPU:        truth.JobsPerGPU,
			AcceptsOtherUsers: truth.AcceptsOtherUsers,
			IsOpportunistic:   truth.IsOpportunistic,
		}
	}
	m, known := f.own[j.ID]
	if terms.Source = "measured"; !known {
		m, known = f.byKind[kind{j.User, j.Name}]
		terms.Source = "class"
	}
	if !known {
		terms.Source = ""
	} else {
		terms.MemMB, terms.Utilisation = m.memMB, policy.KnownValue(m.busy)
	}
	j.Sharing = &terms
}

// told remembers the last snapshot it was asked about.
type told struct{ jobs []policy.Job }

func (p *told) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	p.jobs = append([]policy.Job{}, s.Jobs...)
	return &policy.Plan{}, nil
}

// TestProfiler: what is told of a job, before and after it or another of its kind ran for long enough.
func TestProfiler(t *testing.T) {
	truth := func(id int64) workload.Job {
		return workload.Job{
			ID: id,
			Sharing: &policy.Sharing{
				JobsPerGPU:        3,
				AcceptsOtherUsers: true,
				MemMB:             1000 * id,
				Utilisation:       policy.KnownValue(.5),
			},
		}
	}
	p, start := &told{}, time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	f := newProfiler(p, []workload.Job{truth(1), truth(2), truth(3)})
	f.Noise = .1
	at := func(seconds int) map[policy.JobID]*policy.Sharing {
		t.Helper()
		s := &policy.Snapshot{Now: start.Add(time.Duration(seconds) * time.Second)}
		for id, name := range []string{"", "train", "train", "test"} {
			if id > 0 {
				s.Jobs = append(
					s.Jobs,
					policy.Job{ID: policy.JobID(id), Name: name, User: "ann", State: policy.Pending, Shareable: true},
				)
			}
		}
		s.Jobs[0].State, s.Jobs[0].Start = policy.Running, start
		if _, err := f.Decide(s); err != nil {
			t.Fatal(err)
		}
		if s.Jobs[0].Sharing != nil {
			t.Error("the snapshot was changed")
		}
		out := map[policy.JobID]*policy.Sharing{}
		for i := range p.jobs {
			out[p.jobs[i].ID] = p.jobs[i].Sharing
		}
		return out
	}
	for id, got := range at(199) {
		if !reflect.DeepEqual(*got, policy.Sharing{JobsPerGPU: 3, AcceptsOtherUsers: true}) {
			t.Errorf("job %d at first: %+v", id, got)
		}
	}
	after := at(200)
	if m := after[1]; m.Source != "measured" || m.MemMB != 1000 || m.Utilisation.Value == .5 ||
		m.Utilisation.Value < .1 ||
		m.JobsPerGPU != 3 {
		t.Errorf("its own: %+v", m)
	}
	if m := after[2]; m.Source != "class" || m.MemMB != 1000 || m.Utilisation != after[1].Utilisation {
		t.Errorf("of its kind: %+v", m)
	}
	if m := after[3]; m.Source != "" || m.MemMB != 0 || m.Utilisation.Known {
		t.Errorf("of another kind: %+v", m)
	}
	if again := at(5000)[1]; again.Utilisation != after[1].Utilisation {
		t.Error("measured twice")
	}
}
