package neighbours

import (
	"math"
	"math/rand/v2"
	"time"

	"fairbridge/bridge/study/workload"
	"fairbridge/policy"
)

// Profiler is a policy that is told of jobs beside neighbours what probes would have measured of them
// until then, as live: nothing of a job before it ran for a while, or another of the same name of
// the same user did; and then not exactly.
type Profiler struct {
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

// NewProfiler returns a Profiler for a policy and a workload, of whose jobs Job.Sharing is the truth.
func NewProfiler(p policy.Policy, jobs []workload.Job) *Profiler {
	f := &Profiler{Policy: p, truth: map[policy.JobID]*policy.Sharing{}, byKind: map[kind]measurement{}, own: map[policy.JobID]measurement{}}
	for i := range jobs {
		f.truth[policy.JobID(jobs[i].ID)] = jobs[i].Sharing
	}
	return f
}

// Decide implements policy.Policy.
func (f *Profiler) Decide(s *policy.Snapshot) (*policy.Plan, error) {
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
func (f *Profiler) measure(j *policy.Job) {
	truth := f.truth[j.ID]
	if _, known := f.own[j.ID]; known || truth == nil {
		return
	}
	off := f.Noise * rand.New(rand.NewPCG(f.Seed, uint64(j.ID))).NormFloat64()
	m := measurement{truth.MemMB, math.Max(0, math.Min(truth.Utilisation.Value+off, 1))}
	f.own[j.ID], f.byKind[kind{j.User, j.Name}] = m, m
}

// tell adds what is known of the job to what the policy sees of it.
func (f *Profiler) tell(j *policy.Job) {
	terms := policy.Sharing{}
	if truth := f.truth[j.ID]; truth != nil {
		terms = policy.Sharing{JobsPerGPU: truth.JobsPerGPU, AcceptsOtherUsers: truth.AcceptsOtherUsers, IsOpportunistic: truth.IsOpportunistic}
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
