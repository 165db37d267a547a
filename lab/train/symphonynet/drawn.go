package symphonynet

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"fairbridge/lab/exact"
	"fairbridge/lab/learner"
	"fairbridge/lab/neighbours"
	"fairbridge/lab/train/gradient"
	"fairbridge/policy"
	policynet "fairbridge/policy/paper/symphonynet"
	"fairbridge/policy/solve/network"
	"fairbridge/replica/workload"
)

// Workload is a drawn day of jobs of one or two GPUs of 24 GB, too many for these alone. Each of 60 kinds uses its own part
// of a GPU.
type Workload struct {
	JobCount int
	GPUs     int     // of the cluster, in nodes of eight
	Load     float64 // work that arrives, as a part of what the GPUs can do alone, in the mean
}

// ReproducedDay is that of the figures of symphony: 400 jobs in a day on 32 GPUs.
var ReproducedDay = Workload{JobCount: 400, GPUs: 32, Load: 1.615}

const (
	kindCount    = 60
	gpuMemMB     = 24 << 10
	meanGPUHours = 3.1 // of a job
)

// drawKinds draws what jobs of each kind use of a GPU.
func drawKinds(r *rand.Rand) []policy.Sharing {
	kinds := make([]policy.Sharing, kindCount)
	for i := range kinds {
		kinds[i] = policy.Sharing{AcceptsOtherUsers: true, MemMB: 2048 + r.Int64N(8000), Utilisation: policy.KnownValue(.1 + .85*r.Float64())}
	}
	return kinds
}

func newChance(seed int64) *rand.Rand { return rand.New(rand.NewPCG(uint64(seed), 29)) }

// DrawJobs draws the jobs of a seed, which arrive about so many seconds after each other.
func DrawJobs(count int, seed int64, apart float64) []workload.Job {
	r := newChance(seed)
	kinds := drawKinds(r)
	jobs := make([]workload.Job, count)
	for i := range jobs {
		k := r.IntN(len(kinds))
		profile := kinds[k]
		jobs[i] = workload.Job{ID: int64(i + 1), Name: string(rune('A' + k)), User: "u", Account: "a", Arrive: math.Floor(float64(i) * apart * (.5 + r.Float64())), GPUs: 1 + r.IntN(2), GPUType: "v100",
			Duration: math.Round(min(max(5400*math.Exp(.8*r.NormFloat64()), 600), 36_000)), IsShareable: true, Sharing: &profile}
		jobs[i].TimeLimit = policy.DurationFromSeconds(2 * jobs[i].Duration)
	}
	for i := 1; i < len(jobs); i++ {
		jobs[i].Arrive = max(jobs[i].Arrive, jobs[i-1].Arrive)
	}
	return jobs
}

// Draw returns the simulation of a seed, without its policy, which is asked every minute.
func (w Workload) Draw(seed int64) exact.Config {
	apart := math.Round(3600 * meanGPUHours / w.Load / float64(w.GPUs))
	c := exact.Config{Jobs: DrawJobs(w.JobCount, seed, apart), Clock: exact.NewEventClock(time.Minute, time.Minute, time.Minute), OmitsReasons: true, Interference: &neighbours.Truth{Seed: uint64(seed)}}
	for i := range (w.GPUs + 7) / 8 {
		c.Nodes = append(c.Nodes, policy.Node{Name: fmt.Sprintf("n%04d", i), Partitions: []string{"gpu"}, CPUs: 64, MemMB: 1 << 20,
			GPUs: []policy.NodeDevices{{Type: "v100", Count: min(8, w.GPUs-8*i), MemMB: gpuMemMB}}})
	}
	return c
}

// forTrace gives jobs of a trace what the drawn ones have: neighbours that they accept and a use of their GPUs, the same for all jobs of
// one user and name.
func forTrace(c *exact.Config, seed int64) {
	r := newChance(seed)
	kinds, kindOf := drawKinds(r), map[[2]string]int{}
	for i := range c.Jobs {
		j := &c.Jobs[i]
		if j.Sharing != nil && j.Sharing.Utilisation.Known {
			continue
		}
		key := [2]string{j.User, j.Name}
		k, known := kindOf[key]
		if !known {
			k = r.IntN(len(kinds))
			kindOf[key] = k
		}
		profile := kinds[k]
		j.Sharing, j.IsShareable = &profile, true
	}
	c.Nodes = slices.Clone(c.Nodes)
	for i := range c.Nodes {
		c.Nodes[i].GPUs = slices.Clone(c.Nodes[i].GPUs)
		for k := range c.Nodes[i].GPUs {
			if d := &c.Nodes[i].GPUs[k]; d.MemMB == 0 {
				d.MemMB = gpuMemMB
			}
		}
	}
	c.Interference = &neighbours.Truth{Seed: uint64(seed)}
}

// surround lets a policy see what counters read.
func surround(p policy.Policy, c *exact.Config, seed int64) *neighbours.Counters {
	n := neighbours.NewCounters(p, c.Jobs)
	n.Seed = uint64(seed)
	return n
}

// Learner says how symphony-net is taught.
func Learner() *learner.Learner {
	return &learner.Learner{
		Policy: "symphony-net",
		About: `The network of policy symphony-net learns to correct what a filter believes of how
much of their GPUs jobs use, from counters that err, fail and come late, in simulations,
which know what they truly use.`,
		Numbers: append(learner.SharedNumbers(float64(ReproducedDay.JobCount), float64(ReproducedDay.GPUs), ReproducedDay.Load),
			learner.Number{Name: "rounds", Help: "workloads it learns from", Default: 60, Least: 1, Most: 100_000, IsWhole: true},
			learner.Number{Name: "turns", Help: "times that what is seen of each is learnt", Default: 4, Least: 1, Most: 1000, IsWhole: true}),
		Draw: func(v learner.Values, seed int64) exact.Config {
			return Workload{JobCount: int(v["jobs"]), GPUs: int(v["gpus"]), Load: v["load"]}.Draw(seed)
		},
		ForTrace: forTrace,
		Surround: func(p policy.Policy, c *exact.Config, seed int64) policy.Policy { return surround(p, c, seed) },
		New: func(s learner.Settings, state []byte) (learner.Training, error) {
			t := newTrainer(Settings{Seed: s.Seed, Source: s.Source, Rounds: int(s.Values["rounds"]), Turns: int(s.Values["turns"])})
			return t, t.resume(state)
		},
		NewPolicy: func(raw []byte) (policy.Policy, error) {
			w, err := policynet.ReadWeights(raw)
			if err != nil {
				return nil, err
			}
			return policynet.NewTrainee(&w.Network)
		},
		Errors: &learner.ErrorFigure{
			Title: "root mean square error of what is believed of running jobs, scheduled by symphony, over the filter's",
			Measure: func(raw []byte, c exact.Config, seed int64) (float64, error) {
				w, err := policynet.ReadWeights(raw)
				if err != nil {
					return 0, err
				}
				e, err := MeasureErrors(c, seed, "symphony", &w.Network, nil)
				return e.Network / e.Filter, err
			},
		},
	}
}

// state is what a training goes on from.
type state struct {
	Chance  []byte          `json:"chance"`
	Network network.Network `json:"network"`
	Adam    *gradient.Adam  `json:"adam"`
	Best    network.Network `json:"best"`
	Least   float64         `json:"least"`
	Round   int             `json:"round"`
}

// State implements learner.Training.
func (t *trainer) State() ([]byte, error) {
	chance, err := t.source.MarshalBinary()
	if err != nil {
		return nil, err
	}
	return json.Marshal(state{chance, t.net, t.adam, t.best, t.least, t.round})
}

// resume brings the training to a state; nil: it stays at its beginning.
func (t *trainer) resume(raw []byte) error {
	if raw == nil {
		return nil
	}
	var s state
	if err := json.Unmarshal(raw, &s); err != nil {
		return fmt.Errorf("reading the state of a training: %w", err)
	}
	if err := t.source.UnmarshalBinary(s.Chance); err != nil || s.Adam == nil {
		return fmt.Errorf("reading the state of a training: it is not whole (%w)", err)
	}
	t.net, t.adam, t.best, t.least, t.round = s.Network, s.Adam, s.Best, s.Least, s.Round
	t.adam.Resume(&t.net)
	return nil
}
