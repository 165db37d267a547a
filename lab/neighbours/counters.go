package neighbours

import (
	"math"
	"math/rand/v2"
	"time"

	"fairbridge/policy"
	"fairbridge/replica/workload"
)

// Counters is a policy that is told of running jobs what counters read of their GPUs, as they are: with an error, late,
// and now and then nothing. What a job uses goes up and down by itself, slowly. Nothing is told of jobs that
// never ran. Where jobs share a GPU, each reads what all of them use of it.
type Counters struct {
	policy.Policy
	Noise   float64       // standard error of a reading, as a part of it
	Missing float64       // part of readings that fail
	Late    int           // by how many intervals a reading is late at most
	Every   time.Duration // interval
	Swing   float64       // by how much what a job uses goes up and down, 0..1
	Seed    uint64
	truth   map[policy.JobID]*policy.Sharing
	// Watch is told of every decision what truly was used, and what the counters read; nil: is not.
	Watch func(told *policy.Snapshot, truth func(policy.JobID, time.Time) float64)
}

// NewCounters returns those of a policy and a workload, of whose jobs Job.Sharing says what they use in the mean.
func NewCounters(p policy.Policy, jobs []workload.Job) *Counters {
	c := &Counters{Policy: p, Noise: .2, Missing: .1, Late: 3, Every: time.Minute, Swing: .06, truth: map[policy.JobID]*policy.Sharing{}}
	for i := range jobs {
		c.truth[policy.JobID(jobs[i].ID)] = jobs[i].Sharing
	}
	return c
}

// UsedAt is what a job truly uses of its GPUs at a moment, 0..1: its mean, with a swing of 20 to 60 minutes.
func (c *Counters) UsedAt(id policy.JobID, at time.Time) float64 {
	chance := rand.New(rand.NewPCG(c.Seed, uint64(id)))
	period, phase := 1200+2400*chance.Float64(), 2*math.Pi*chance.Float64()
	swing := c.Swing * math.Sin(2*math.Pi*float64(at.Unix())/period+phase)
	return math.Max(0, math.Min(c.truth[id].Utilisation.Value+swing, 1))
}

// Decide implements policy.Policy.
func (c *Counters) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	told := *s
	told.Jobs = append([]policy.Job(nil), s.Jobs...)
	onGPU := jobsByGPU(s)
	for i := range told.Jobs {
		j := &told.Jobs[i]
		terms := *c.truth[j.ID]
		terms.Utilisation = policy.OptionalValue{}
		j.Sharing, j.Utilisation = &terms, policy.OptionalValue{}
		if j.HoldsGPUs() {
			j.Utilisation = c.read(j, s.Now, onGPU)
		}
	}
	if c.Watch != nil {
		c.Watch(&told, c.UsedAt)
	}
	return c.Policy.Decide(&told)
}

// read draws a reading of a job.
func (c *Counters) read(j *policy.Job, now time.Time, onGPU map[policy.Slot][]policy.JobID) policy.OptionalValue {
	chance := rand.New(rand.NewPCG(c.Seed^uint64(j.ID)<<20, uint64(now.Unix())))
	at := now.Add(-time.Duration(chance.IntN(c.Late+1)) * c.Every)
	off, missing := chance.NormFloat64(), chance.Float64() < c.Missing
	if missing || at.Before(j.Start) {
		return policy.OptionalValue{}
	}
	sum, gpus := 0.0, 0.0
	for _, gpu := range eachGPU(j.On) {
		used := 0.0
		for _, id := range onGPU[gpu] {
			used += c.UsedAt(id, at)
		}
		sum, gpus = sum+math.Min(used, 1), gpus+1
	}
	if gpus == 0 {
		return policy.OptionalValue{}
	}
	return policy.KnownValue(math.Max(0, math.Min(sum/gpus*(1+c.Noise*off), 1)))
}

// jobsByGPU lists who is on each GPU.
func jobsByGPU(s *policy.Snapshot) map[policy.Slot][]policy.JobID {
	out := map[policy.Slot][]policy.JobID{}
	for i := range s.Jobs {
		for _, gpu := range eachGPU(s.Jobs[i].On) {
			out[gpu] = append(out[gpu], s.Jobs[i].ID)
		}
	}
	return out
}

// eachGPU are the GPUs of a place, one by one.
func eachGPU(on policy.Alloc) (out []policy.Slot) {
	for _, slot := range on {
		for _, i := range slot.Devices.Indexes() {
			out = append(out, policy.Slot{Node: slot.Node, Type: slot.Type, Count: 1, Devices: policy.NewDeviceSet(i)})
		}
	}
	return out
}
