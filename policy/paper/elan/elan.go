// Package elan serves jobs in order of arrival and makes room for the next by shrinking
// elastic jobs that run, the one with most above its least size first. Devices that are left
// over go where they raise the sum of speeds most.
//
// L. Xie, J. Zhai, B. Wu, Y. Wang, X. Zhang, P. Sun, S. Yan, "Elan: Towards Generic and
// Efficient Elastic Training for Deep Learning", ICDCS 2020.
//
// Its other half, batches that follow sizes, is scaling.HybridBatch. Replicating a job's state
// without disks is for the training program.
package elan

import (
	"fmt"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/paper"
	"fairbridge/policy/predict"
	"fairbridge/policy/scaling"
	"fairbridge/policy/sizing"
)

// Policy is Elan with its parameters.
type Policy struct {
	Backfill string  `param:"backfill" choices:"none,easy" default:"none" help:"who may pass a blocked job: no job (E-FIFO), or those who do not delay it (E-BF)"`
	Step     float64 `param:"step" default:"1.5" min:"1" help:"factor by which a running job must be able to grow to be worth its restart; 1: any"`
	PayBack  float64 `param:"pay_back" default:"2" min:"0" help:"how many times its restart cost a growth must save a running job, where both are known"`
	paper.Limits
}

// Decide implements policy.Policy.
func (f *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	p := engine.Pipeline{
		Name:     "elan",
		Predict:  predict.Ladder{},
		Allocate: elasticQueue{Policy: f},
		Preempt:  sizing.StopsNone{},
		Rules:    f.Rules(),
	}
	if f.Backfill == "easy" {
		p.Backfill = backfill.EASY{}
	}
	return p.Decide(s)
}

// System describes Elan in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "elan", Title: "Elan: elastic FIFO and elastic backfilling", Venue: "ICDCS", Year: 2020,
		Cite:         `L. Xie et al., "Elan: Towards Generic and Efficient Elastic Training for Deep Learning", ICDCS 2020`,
		Idea:         "Serve in order of arrival; shrink running elastic jobs towards their least size to admit the next, and give what is left over to those who gain most speed.",
		OwnStages:    []string{"order", "size", "backfill"},
		NeededInputs: []string{"arrival", "least and most GPUs of elastic jobs", "how fast a job goes on other sizes", "time limit (for backfill)"},
		Fallback:     "a job without a range gets what it asks; one whose speeds are not known is taken to scale by Amdahl's law with a serial part of 5 %",
		Reproduced:   "the shrinking and growing of the rules' example; on drawn two-day workloads, half of whose jobs are elastic, 128 GPUs and a minute for each resize: the mean wait for the first start is shorter than FIFO's by 67 % (median of 15 seeds, -3 to 87 %; the paper has 43 %), 7.9 points more of the GPUs are in use (0.1 to 22.5; the paper has 21 %), and resizes of 5 s leave 0.79 of the wait that those of 180 s do",
		Deviations: []string{
			"A running job changes its size by a requeue, which costs a restart: it grows only by a factor, and where that pays back its restarts; the paper's runtime grows and shrinks within a second.",
			"Whom to shrink the paper leaves open where several could: here the one with most above its least size, as far as it takes, so that few jobs restart.",
			"Speeds are counted relative to that on what a job asks, so that a small job's gain is not lost beside a large one's.",
			"How a job's state is copied and its learning rate warmed up is for the training program.",
		},
	})
}

// explain notes for owners why their jobs run on other sizes, and with which batch they should.
func (a *admission) explain(line []*engine.Entry) {
	for _, e := range line {
		e.Note = "by arrival"
		if n := a.draft.Size(e); n > 0 && n != e.Ask.GPUs.Count {
			e.Note += fmt.Sprintf(", on %s at %.2f times the speed it would have on the %d it asks for", policy.FormatCount(n, "GPU"), sizing.Speed(e, n), e.Ask.GPUs.Count)
			e.Note += describeBatch(e, n)
		}
	}
	for _, v := range a.shrunk {
		if a.draft.Size(v.Entry) < v.On.Count() {
			v.Note += fmt.Sprintf("; GPUs of it make room for job %s", v.gaveTo.Label())
		}
	}
}

// describeBatch says which batch the job should use on so many devices; "" where that is not
// known.
func describeBatch(e *engine.Entry, devices int) string {
	if e.Scaling == nil || e.Scaling.Batch == nil || e.Scaling.Batch.LeastPerDevice <= 0 {
		return ""
	}
	b := e.Scaling.Batch
	batch, factor := scaling.HybridBatch(b.Initial, b.Max, devices, func(batch int) int { return batch / b.LeastPerDevice })
	return fmt.Sprintf(", best with a batch of %d and %.4g times the learning rate", batch, factor)
}
