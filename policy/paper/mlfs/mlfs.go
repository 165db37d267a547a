// Package mlfs ranks jobs by how much accuracy their next iteration brings, together with their
// deadlines, what they have left and how long they waited; stops the lowest of those that run for higher ones;
// and lets jobs end, where the cluster is overloaded, that have reached what their owners say is enough.
//
// H. Wang, Z. Liu, H. Shen, "Job Scheduling for Large-Scale Machine Learning Clusters", CoNEXT 2020.
//
// It is MLF-H, the heuristic. The paper's agent, which learns from it, is package mlfrl.
package mlfs

import (
	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/deadline"
	"fairbridge/policy/engine"
	"fairbridge/policy/paper"
	"fairbridge/policy/place"
	"fairbridge/policy/predict"
	"fairbridge/policy/preempt"
)

// Policy is MLF-H with its parameters.
type Policy struct {
	Alpha          float64            `param:"alpha" default:"0.3" max:"1" help:"how much the gain in accuracy counts; the rest is for deadline, time left and wait"`
	Gamma          float64            `param:"gamma" default:"0.8" max:"1" help:"how much of the priorities of jobs that depend on it a job has besides"`
	DeadlineWeight float64            `param:"deadline_weight" default:"0.001" help:"weight of one over the time to the deadline; the paper has 0.3"`
	LeftWeight     float64            `param:"left_weight" default:"0.3" help:"weight of one over the time left"`
	WaitWeight     float64            `param:"wait_weight" default:"0.001" help:"weight of the time waited; the paper has 0.35"`
	Scale          string             `param:"scale" choices:"hours,relative" default:"hours" help:"what times are measured by: hours, as published; or the shortest of all jobs, and the longest wait"`
	Urgency        map[string]float64 `param:"urgency" help:"urgency by QOS, such as high:8;low:1; 1 where not given"`
	Overload       float64            `param:"overload" default:"0.9" max:"1" help:"part of the time that jobs keep a shared GPU busy, of cores or memory of a node, and of all GPUs, from which on each is overloaded"`
	Candidates     float64            `param:"candidates" default:"0.1" max:"1" help:"part of the running jobs, those of the lowest priority, that may be stopped for others"`
	Placement      string             `param:"placement" choices:"distance,tight" default:"tight" help:"where gangs of one node go: on the node nearest to an ideal one, least used in all; or where least is left over"`
	LoadControl    bool               `param:"load_control" default:"true" help:"let jobs end, while the cluster is overloaded, that have reached what their owners declared as enough"`
	Plateau        float64            `param:"plateau" default:"0.005" min:"0" max:"1" help:"a loss is on a plateau if it fell by less than this part of its whole fall in the last tenth of what the job reported"`
	deadline.Rule
	paper.Limits
	scorer     Scorer // see WithScorer; nil: the heuristic
	scorerName string
}

// Decide implements policy.Policy.
func (p *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	return p.Rule.Decide(s, p.decide)
}

func (p *Policy) decide(s *policy.Snapshot) (*policy.Plan, error) {
	ranks := &priorities{Policy: p, scorerName: p.scorerName, unknownLeft: predict.MedianRunTime(s.History)}
	pipeline := engine.Pipeline{
		Name:     "mlfs",
		Predict:  predict.Ladder{},
		Allocate: ranks,
		Pack:     &leastBusy{Policy: p},
		Backfill: backfill.Greedy{},
		Preempt:  preempt.ByTier(ranks.tier),
		Rules:    p.Rules(),
	}
	if p.Placement == "distance" {
		pipeline.Place = &place.Nearest{MostUsed: p.Overload}
	}
	plan, err := pipeline.Decide(s)
	if err != nil {
		return nil, err
	}
	if p.LoadControl {
		p.endEarly(s, plan)
	}
	return plan, nil
}

// Values of Policy.Scale.
const (
	scaleHours    = "hours"
	scaleRelative = "relative"
)

// System describes MLFS in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "mlfs", Title: "MLFS: by what the next iteration brings", Venue: "CoNEXT", Year: 2020,
		Cite:         `H. Wang, Z. Liu, H. Shen, "Job Scheduling for Large-Scale Machine Learning Clusters", CoNEXT 2020`,
		Idea:         "Rank jobs by the accuracy of their next iteration, deadline, time left and wait; end early, when overloaded, what its owner calls good enough.",
		OwnStages:    []string{"predict", "order", "place", "pack", "backfill", "preempt"},
		NeededInputs: []string{"losses that jobs report (for the accuracy of the next iteration, and plateaus)", "how long a job still runs", "deadlines, or time limits", "urgency by QOS", "how busy jobs keep their GPUs (to share)", "what owners declare as enough (to end early)"},
		Fallback:     "a job without losses counts by its epochs or by how long it ran, one without a deadline by its time limit; one of which nothing is predicted by the median run time here",
		Reproduced: "620 jobs of Philly's run times in a week on 80 GPUs, sizes 1 to 32, medians of 7 seeds: Tiresias takes 2.00 times as long (1.48 to 2.62; with the published weights .87), " +
			"multifactor 2.44; where owners let jobs end on their plateaus they take 1/2.00 of that (1.46 to 2.49); 1.18 times as many deadlines are met as by Tiresias; worked examples of priorities, placement and chains of jobs",
		Deviations: []string{
			"The deadline of a job beyond its account's share of the GPUs does not count, unless a deadline budget was granted (deadlines_count=always counts all).",
			"The weights of deadlines and wait are a three-hundredth of the published: those let the wait outrank all else within an hour. Gangs go where least is left over, unless placement is distance, which breaks up nodes.",
			"Jobs are gangs: there are no tasks within a job to rank, and a job has a part of the priorities of those that depend on it.",
			"A job moves by being requeued, for a waiting one of higher priority, if it is of the lowest tenth of the running ones and has three times its restart left. Only GPUs that jobs share can be overloaded; two share where their owners accept it and both are measured.",
			"It ends no job: a job is told that it may end, and only one whose owner declared what is enough. Beside Slurm nobody tells it yet.",
			"MLF-RL, the agent that learns from the heuristic, is policy mlf-rl.",
		},
		MayStarve:       true,
		SimulatorParams: paper.Params{"deadlines_count": "always", "min_run": "1s", "max_stops": -1, "max_wait": "0s"},
	})
}
