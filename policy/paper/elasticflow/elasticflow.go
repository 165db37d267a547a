// Package elasticflow admits a job for its deadline if that and all that were admitted before
// can be met, gives each admitted job the minimum share of GPUs by which it is, and the GPUs left
// over to those who waste least GPU time on them. All other jobs run as best effort behind those.
//
// D. Gu, Y. Zhao, Y. Zhong, Y. Xiong, Z. Han, P. Cheng, F. Yang, G. Huang, X. Jin, X. Liu,
// "ElasticFlow: An Elastic Serverless Training Platform for Distributed Deep Learning", ASPLOS 2023.
//
// Plans are made on what is free over future time, a list of changes, not slots; sizes change
// and GPUs are given back at multiples of the slot from now, so that a plan is kept to by decisions a
// slot apart.
package elasticflow

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/deadline"
	"fairbridge/policy/engine"
	"fairbridge/policy/paper"
	"fairbridge/policy/place"
	"fairbridge/policy/predict"
)

// Policy is ElasticFlow with its parameters.
type Policy struct {
	Slot     time.Duration `param:"slot" default:"1m" min:"1" help:"time between two decisions: plans change sizes at its multiples"`
	Margin   float64       `param:"margin" default:"0.05" max:"1" help:"part by which a job's time left is stretched in plans; its checkpoint cost comes on top"`
	Leftover string        `param:"leftover" choices:"cheapest,dearest" default:"cheapest" help:"who gets GPUs left over: the job whose next size costs least more GPU time a GPU, or most, as in the published simulator"`
	deadline.Rule
	paper.Limits
}

// Decide implements policy.Policy.
func (p *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	return p.Rule.Decide(s, p.decide)
}

func (p *Policy) decide(s *policy.Snapshot) (*policy.Plan, error) {
	committed, err := policy.Recall[commitments](s.Memo)
	if err == nil {
		err = committed.validate()
	}
	if err != nil {
		return nil, fmt.Errorf("policy elasticflow: reading what was remembered: %w", err)
	}
	stage := &allocator{Policy: p, committed: committed}
	plan, err := engine.Pipeline{
		Name:     "elasticflow",
		Predict:  predict.Ladder{},
		Admit:    stage,
		Allocate: stage,
		Place:    place.Consolidated{},
		Backfill: backfill.Greedy{},
		Rules:    p.Rules(),
	}.Decide(s)
	if err != nil {
		return nil, err
	}
	plan.Memo = policy.Remember(stage.committed)
	return plan, nil
}

// System describes ElasticFlow in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "elasticflow", Title: "ElasticFlow: deadlines kept by minimum shares", Venue: "ASPLOS", Year: 2023,
		Cite:         `D. Gu et al., "ElasticFlow: An Elastic Serverless Training Platform for Distributed Deep Learning", ASPLOS 2023`,
		Idea:         "Admit a job for its deadline only if all admitted can still meet theirs with their minimum shares; spend GPUs left over where they waste least.",
		OwnStages:    []string{"admit", "order", "size", "lease", "place", "backfill"},
		NeededInputs: []string{"deadlines", "how long a job still runs", "how fast an elastic job goes on other sizes"},
		Fallback:     "a job without a deadline, or of which nothing is known, is best effort; a rigid one, or one of whose speed nothing is known, is planned on what it asks",
		Reproduced:   "the examples of the rules; all 100 deadlines of its simulator's Figure 10 configuration, by its clock, at a mean completion of 23,230 s (its own: 23,807 s; its EDF meets 92, its Gandiva 79); on drawn jobs with deadlines of 0.5 to 1.5 run times, 128 GPUs, twice the deadlines of EDF and of Tiresias are met (medians of 5 seeds; the paper has 1.46 to 7.65 times), and no admitted job is late where speeds are known and resizes are free",
		Deviations: []string{
			"The deadline of a job beyond its account's share of the GPUs does not count, unless a deadline budget was granted (deadlines_count=always counts all).",
			"No job is refused: one whose deadline cannot be met is best effort behind those admitted, is told so, and is tried again at every decision; the published simulator drops it, and a batch that came with it.",
			"Deadlines are soft: time left is stretched by margin and a checkpoint's cost; a job is let go as best effort where GPUs break, where it finds no place though they are enough by count, and where one that waited for max_wait goes before it.",
			"GPUs that a plan needs within min_run are not lent to best effort, as those jobs could not be stopped in time.",
			"GPUs left over go where the next size costs least GPU time, the paper's objective; its simulator takes the dearest first (leftover=dearest).",
			"Buddy blocks are counted: a gang gets the node, else the switch, where least is left over. Slurm picks the devices of a node, and no job is moved to join what is free in pieces.",
		},
		MayStarve:       true,
		SimulatorParams: paper.Params{"deadlines_count": "always", "margin": 0, "min_run": "1s", "max_stops": -1, "max_wait": "0s"},
	})
}

// explain notes for owners what became of their deadlines.
func (p *planner) explain(r *engine.Round, demands []demand) {
	for i := range demands {
		d := &demands[i]
		e := d.entry
		deadline := e.Deadline.UTC().Format("2006-01-02 15:04 MST")
		switch steps, admitted := p.plans[d]; {
		case admitted && len(steps) > 0:
			e.Note = fmt.Sprintf("admitted for its deadline %s: %s", deadline, describePlan(r.Now, steps))
		case p.lost[d]:
			e.Note = fmt.Sprintf("it was admitted for its deadline %s, which cannot be met any more; it goes on as best effort", deadline)
		case p.declined[d]:
			e.Note = fmt.Sprintf("best effort: its deadline %s cannot be met beside those of the jobs admitted before it", deadline)
		case !e.Deadline.IsZero():
			e.Note = fmt.Sprintf("best effort: nothing is known of how long it runs, so nothing is promised for its deadline %s", deadline)
		default:
			e.Note = "best effort: it has no deadline that counts"
		}
	}
}

// describePlan says the least a job needs and until when.
func describePlan(now time.Time, steps []step) string {
	least, most := steps[0].gpus, steps[0].gpus
	for _, s := range steps {
		least, most = min(least, s.gpus), max(most, s.gpus)
	}
	end := now.Add(policy.DurationFromSeconds(steps[len(steps)-1].until)).UTC().Format("15:04")
	if least == most {
		return fmt.Sprintf("%s until %s are enough", policy.FormatCount(most, "GPU"), end)
	}
	return fmt.Sprintf("%d to %s until %s are enough", least, policy.FormatCount(most, "GPU"), end)
}

// commitments are the plans of jobs that were admitted, by job id, as of a time.
type commitments struct {
	At   time.Time    `json:"at,omitzero"`
	Jobs []commitment `json:"jobs,omitempty"`
}

// commitment is the plan of one job: devices until seconds from commitments.At.
type commitment struct {
	Job   policy.JobID `json:"job"`
	Until []float64    `json:"until"`
	GPUs  []int        `json:"gpus"`
}

func (c commitments) validate() error {
	for i, j := range c.Jobs {
		if len(j.Until) != len(j.GPUs) || i > 0 && c.Jobs[i-1].Job >= j.Job {
			return errors.New("the plans are garbled")
		}
	}
	return nil
}

// find returns the plan of a job, or nil.
func (c *commitments) find(id policy.JobID) *commitment {
	i, found := slices.BinarySearchFunc(c.Jobs, id, func(c commitment, id policy.JobID) int { return cmp.Compare(c.Job, id) })
	if !found {
		return nil
	}
	return &c.Jobs[i]
}

// stepsAt returns the rest of the plan so many seconds later.
func (c *commitment) stepsAt(later float64) []step {
	var steps []step
	for i, until := range c.Until {
		if until > later {
			steps = append(steps, step{until - later, c.GPUs[i]})
		}
	}
	return steps
}

// newCommitments writes down the plans of those admitted; jobs is in order of their ids.
func newCommitments(now time.Time, jobs []demand, plans map[*demand][]step) commitments {
	c := commitments{At: now}
	for i := range jobs {
		steps, admitted := plans[&jobs[i]]
		if !admitted {
			continue
		}
		one := commitment{Job: jobs[i].entry.ID, Until: make([]float64, len(steps)), GPUs: make([]int, len(steps))}
		for k, s := range steps {
			one.Until[k], one.GPUs[k] = s.until, s.gpus
		}
		c.Jobs = append(c.Jobs, one)
	}
	return c
}
