// Package salus lets jobs of one GPU share it as long as the memory of all of them is known to fit:
// small jobs, of which a search over settings makes hundreds, leave most of a GPU idle.
//
// P. Yu, M. Chowdhury, "Fine-Grained GPU Sharing Primitives for Deep Learning Applications",
// MLSys 2020.
//
// The paper's service owns a GPU and switches between jobs at the ends of iterations; which jobs may
// be on it together is the part that a scheduler decides.
package salus

import (
	"cmp"
	"fmt"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/order"
	"fairbridge/policy/pack"
	"fairbridge/policy/paper"
	"fairbridge/policy/predict"
)

// Values of Policy.By.
const (
	byArrival = "pack"
	byFair    = "fair"
	byLength  = "srtf"
)

// Policy is Salus' packing with its parameters.
type Policy struct {
	By   string `param:"by" choices:"pack,fair,srtf" default:"pack" help:"who is first: pack, who came first; fair, the user whose jobs had least GPU memory over time; srtf, the job with least left to run"`
	Jobs int    `param:"jobs" default:"4" min:"1" max:"16" help:"how many jobs may share a GPU, where all of them accept as many"`
	paper.MaxWaitParam
}

// Decide implements policy.Policy.
func (p *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	return engine.Pipeline{
		Name:     "salus",
		Predict:  predict.Ladder{},
		Order:    p.orderer(s),
		Pack:     &pack.ByMemory{Jobs: p.Jobs},
		Backfill: backfill.EASY{},
		Rules:    p.Rules(),
	}.Decide(s)
}

func (p *Policy) orderer(s *policy.Snapshot) engine.Orderer {
	switch p.By {
	case byFair:
		return memoryTimes(s)
	case byLength:
		return order.ByLength{KeysBefore: order.ByKeys{order.ActiveFirst}}
	}
	return order.ByArrival{}
}

// usedMemory is the GPU memory that jobs of each user had over time, MB-seconds on one GPU.
type usedMemory map[string]float64

// memoryTimes sums up what the jobs that are here have had. Those whose memory is not known count as
// if they used none.
func memoryTimes(s *policy.Snapshot) usedMemory {
	m := usedMemory{}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		m[j.User] += float64(j.Attained) * float64(j.Sharing.UsedMemMB())
	}
	return m
}

// Order implements engine.Orderer.
func (m usedMemory) Order(r *engine.Round) ([]*engine.Entry, error) {
	if !r.OmitReasons {
		for _, e := range r.Entries {
			e.Note = fmt.Sprintf("jobs of user %s have had %.0f GB-hours of GPU memory, least first", e.User, m[e.User]/1024/3600)
		}
	}
	return order.ByKeys{order.ActiveFirst, func(_ *engine.Round, a, b *engine.Entry) int {
		return cmp.Compare(m[a.User], m[b.User])
	}}.Order(r)
}

// System describes Salus in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "salus", Title: "Salus: jobs whose memory fits share a GPU", Venue: "MLSys", Year: 2020,
		Cite:         `P. Yu, M. Chowdhury, "Fine-Grained GPU Sharing Primitives for Deep Learning Applications", MLSys 2020`,
		Idea:         "Let jobs of one GPU share it as long as the memory of all of them is known to fit.",
		OwnStages:    []string{"predict", "order", "pack", "backfill"},
		NeededInputs: []string{"GPU memory a job uses, and that of the GPUs (to share)", "how long a job still runs (by=srtf)"},
		Fallback:     "jobs whose memory is not known, on more than one GPU, or whose owners accept no neighbour run alone",
		Reproduced: "a hundred small jobs on four GPUs of 16 GB, five draws: alone they take 3.1 to 3.4 times as long as packed, first come, first served as under what Slurm does by itself " +
			"(the paper: 2.38 times the utilisation); with turns at the GPU as its service has them the average completion time of first come, first served is 2.3 to 3.4 times that of the shortest first, " +
			"of which the order alone makes as much (the paper: 3.19)",
		Deviations: []string{
			"Which jobs share a GPU is decided, not which of them computes when: their processes compete as the driver has it, where Salus switches at the ends of iterations.",
			"Without that service no memory is reused in lanes: all that the jobs need at most must fit, with a gigabyte to spare.",
			"No job is stopped: in the paper a shorter job takes the GPU from a longer one at the end of an iteration, here (by=srtf) it is first among those that wait.",
			"Fairness counts the jobs that are there, by user; the paper counts sessions and starts anew whenever one comes.",
		},
		SimulatorParams: paper.Params{"max_wait": "0s"},
	})
}
