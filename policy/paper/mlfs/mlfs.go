// Package mlfs ranks jobs by how much accuracy their next iteration brings, together with their
// deadlines, what they have left and how long they waited; stops the lowest of those that run for higher ones;
// and lets jobs end, where the cluster is overloaded, that have reached what their owners say is enough.
//
// H. Wang, Z. Liu, H. Shen, "Job Scheduling for Large-Scale Machine Learning Clusters", CoNEXT 2020.
//
// It is MLF-H, the heuristic. The paper's agent, which learns from it, is package mlfrl.
package mlfs

import (
	"fmt"
	"math"
	"slices"
	"time"

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

// gainOfNext is how much accuracy the next iteration of a job is thought to bring, 0 to 1: one over how many it
// has gone through, times the part of its whole fall that its loss fell in the last. Where it reports no losses,
// one over the epochs it counts, or over how often it has run as long as half of the finished jobs, the median.
func gainOfNext(j *policy.Job, median time.Duration) float64 {
	if t := j.Training; t != nil && len(t.Losses) > 1 {
		n := len(t.Losses)
		return partOfFall(t.Losses, n-2) / float64(n-1)
	} else if t != nil && t.Epochs > 0 {
		return 1 / float64(t.EpochsDone+1)
	}
	return 1 / (1 + j.TotalRunTime().Seconds()/median.Seconds())
}

// partOfFall is how far losses fell from a report on, as a part of their whole fall; 1 where they did not fall.
func partOfFall(losses []policy.LossPoint, from int) float64 {
	last := losses[len(losses)-1].Loss
	whole, part := losses[0].Loss-last, losses[from].Loss-last
	if whole <= 0 {
		return 1
	}
	return min(max(part/whole, 0), 1)
}

// leastGain is how many times what its restart costs a job must have left to be stopped for another.
const leastGain = 3

// chooseCandidates notes which running jobs may be stopped: those of the lowest priorities, of which some
// part of all counts, that have more left than their restart is worth.
func (v *priorities) chooseCandidates(line []*engine.Entry) {
	v.mayYield = make([]bool, len(line))
	running := 0
	for _, e := range line {
		if e.HoldsGPUs() {
			running++
		}
	}
	most := int(math.Ceil(v.Candidates * float64(running)))
	for i := len(line) - 1; i >= 0 && most > 0; i-- {
		if e := line[i]; e.HoldsGPUs() {
			most--
			v.mayYield[e.Index] = v.all[e.Index].left > leastGain*e.CheckpointCost.Hours()
		}
	}
}

// tier is the larger the lower a job's priority; that of a running job that is not among the lowest is
// below all.
func (v *priorities) tier(_ *engine.Round, e *engine.Entry) int {
	if e.HoldsGPUs() && !v.mayYield[e.Index] {
		return math.MinInt
	}
	return -int(max(min(v.all[e.Index].sum, 1e9), -1e9) * 1e6)
}

// A Scorer says how soon jobs are to be served in place of the heuristic's priority: the larger a score, the sooner. It is given
// what FeatureNames names, and that priority. What it scores must be a number.
type Scorer interface {
	Score(features []float64, priority float64) float64
}

// WithScorer returns the policy with priorities by a scorer. Reasons name it so. Where one of a round's scores is no number, the
// priorities of that round are those of the heuristic.
func WithScorer(p *Policy, s Scorer, name string) *Policy {
	with := *p
	with.scorer, with.scorerName = s, name
	return &with
}

// featureNames name what a scorer sees of a job, in their order. None of them hangs on whether the job runs.
var featureNames = []string{"accuracy", "left", "waited", "has_deadline", "to_deadline", "slack", "gpus", "urgency", "done"}

// FeatureNames are what a scorer sees of a job, in their order.
func FeatureNames() []string { return slices.Clone(featureNames) }

// score takes scores in place of the heuristic's priorities.
func (v *priorities) score(entries []*engine.Entry) {
	if v.scorer == nil {
		return
	}
	scores := make([]float64, len(entries))
	for i, e := range entries {
		scores[i] = v.scorer.Score(v.features(e), v.all[e.Index].sum)
		if math.IsNaN(scores[i]) || math.IsInf(scores[i], 0) {
			v.scorerName = "the heuristic, since a score of the network is no number"
			return
		}
	}
	for i, e := range entries {
		v.all[e.Index].sum = scores[i]
	}
}

// features are what a scorer sees of a job, each about -1 to 1.
func (v *priorities) features(e *engine.Entry) []float64 {
	p := &v.all[e.Index]
	has, ahead, slack := 0., 0., 0.
	if p.toDeadline > 0 {
		has, ahead, slack = 1, logHours(p.toDeadline), math.Tanh(math.Log(p.toDeadline/p.left)/2)
	}
	ran := e.TotalRunTime().Hours()
	return []float64{min(p.accuracy, 4), logHours(p.left), logHours(p.waited + leastTime.Hours()), has, ahead, slack,
		math.Log(max(e.Ask.GPUs.WholeGPUs(), .1)) / 4, math.Log(max(v.urgencyOf(e), .01)) / 4, ran / (ran + p.left)}
}

func logHours(hours float64) float64 { return math.Log(hours) / 4 }

// endEarly lets running jobs end that have reached what their owners declared as enough, while the cluster is
// overloaded: some job waits that could start, or nearly all GPUs are held.
func (p *Policy) endEarly(s *policy.Snapshot, plan *policy.Plan) {
	if !p.isOverloaded(s, plan) {
		return
	}
	for i := range plan.Decisions {
		d := &plan.Decisions[i]
		j := s.Job(d.Job)
		if d.Verb != policy.Keep || j.State != policy.Running {
			continue
		}
		if why := p.reachedEnough(j); why != "" {
			d.EndsEarly = true
			if !s.OmitReasons {
				d.Why += fmt.Sprintf("; it may end now, as its owner declared: the cluster is overloaded, and %s", why)
			}
		}
	}
}

func (p *Policy) isOverloaded(s *policy.Snapshot, plan *policy.Plan) bool {
	held := 0.0
	for i := range plan.Decisions {
		d := &plan.Decisions[i]
		j := s.Job(d.Job)
		if (d.Verb == policy.Wait || d.Verb == policy.Hold) && j.CanStart(s.Now) {
			return true
		}
		held += policy.GPUs{Count: d.On.Count(), PartPercent: j.Ask.GPUs.PartPercent}.WholeGPUs()
	}
	return held > p.Overload*s.WholeGPUs()
}

// leastReports are how many losses a job must have reported for a plateau to be seen.
const leastReports = 10

// reachedEnough says what a job has reached that its owner declared as enough; "": nothing yet.
func (p *Policy) reachedEnough(j *policy.Job) string {
	if j.EarlyEnd == nil || j.Training == nil || len(j.Training.Losses) == 0 {
		return ""
	}
	losses := j.Training.Losses
	n := len(losses)
	last := losses[n-1].Loss
	switch {
	case j.EarlyEnd.EnoughLoss > 0 && last <= j.EarlyEnd.EnoughLoss:
		return fmt.Sprintf("its loss is %.3g, of which %.3g is enough", last, j.EarlyEnd.EnoughLoss)
	case j.EarlyEnd.AtPlateau && n >= leastReports && losses[0].Loss > last && partOfFall(losses, n-1-n/10) < p.Plateau:
		return fmt.Sprintf("its loss fell by less than %.2g %% of its fall in the last tenth of its steps", 100*p.Plateau)
	}
	return ""
}
