// Package harmony chooses nodes for waiting jobs by how fast they, and the jobs that run there already,
// will be beside each other, which it learns from the jobs' own reports, class by class.
//
// Y. Bao, Y. Peng, C. Wu, "Deep Learning-based Job Placement in Distributed Machine Learning
// Clusters", INFOCOM 2019.
//
// The paper's agent is a neural network taught by actor and critic on a network that predicts rewards. Here
// the reward is predicted by a regression that can be read, and placements are found by local search. An agent may place in its stead
// (package harmonyrl).
package harmony

import (
	"fmt"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/paper"
	"fairbridge/policy/predict"
)

// Policy is Harmony with its parameters.
type Policy struct {
	Order     string        `param:"order" choices:"reward,arrival" default:"reward" help:"which waiting jobs start where not all find room: those that add most to the reward; or those that came first"`
	Placement string        `param:"placement" choices:"learned,best_fit,worst_fit,random" default:"learned" help:"where jobs go: where the learned reward is largest, or, to compare with, the fullest node with room, the emptiest, or any"`
	Weight    string        `param:"weight" choices:"length,equal,gpus" default:"length" help:"what the speed of a job counts in the reward: one over its whole run time, so that the rewards of a job sum up to 1; all alike; or its GPUs"`
	Batch     int           `param:"batch" default:"64" min:"1" max:"256" help:"how many waiting jobs are placed together"`
	Tries     int           `param:"tries" default:"6000" min:"1" max:"1000000" help:"how many changes of a placement the search may try from each beginning"`
	Window    time.Duration `param:"window" default:"10m" min:"1" help:"how long a job must have run beside the same others before its speed there is believed"`
	Prior     float64       `param:"prior" default:"0.1" max:"2" help:"what a neighbour on half of a node's GPUs costs a job, as -ln of its speed, until five times something was measured"`
	Strength  float64       `param:"strength" default:"0.3" min:"0.01" help:"how many measurements the mean of all classes counts as, for two classes that were hardly measured"`
	Keep      float64       `param:"keep" default:"0.995" min:"0.5" max:"1" help:"what older measurements of a class still count with each new one"`
	Spread    float64       `param:"spread" default:"0.1" max:"2" help:"what each node more than needed costs a job, as -ln of its speed, where it was not measured"`
	Explore   float64       `param:"explore" default:"0" max:"1" help:"part of the decisions that place by best or worst fit, to measure other neighbours; for simulations"`
	Backfill  string        `param:"backfill" choices:"none,easy,greedy" default:"greedy" help:"with order arrival: who may pass a blocked job: no job, those that do not delay it, or every job that finds room"`
	paper.MaxWaitParam
	trueCost  func(own, other string) float64 // to compare with, where it is known; nil: it is learnt
	agent     Agent                           // nil: the search alone places
	agentName string                          // for reasons
	maxLoss   float64
}

// WithTrueCosts returns the policy as it would be if it had measured for ever: with what a job of a class on half of the
// GPUs of a node truly costs one of a class there, as -ln of its speed.
func WithTrueCosts(p policy.Policy, cost func(own, other string) float64) policy.Policy {
	known := *p.(*Policy)
	known.trueCost = cost
	return &known
}

// Values of the parameters.
const (
	orderReward      = "reward"
	placementLearned = "learned"
	placementBest    = "best_fit"
	placementWorst   = "worst_fit"
	placementRandom  = "random"
	weightEqual      = "equal"
	weightGPUs       = "gpus"
	backfillNone     = "none"
	backfillEASY     = "easy"
)

// Decide implements policy.Policy.
func (p *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	last, err := recallMemo(s)
	if err != nil {
		return nil, fmt.Errorf("policy harmony: %w", err)
	}
	now := p.observe(s, last)
	b := &binder{Policy: p, costs: now.Model.estimate(p), unknownLength: predict.MedianRunTime(s.History), placedBy: p.agentName}
	if p.trueCost != nil {
		b.costs = trueCosts(s, p.trueCost)
	}
	pipeline := engine.Pipeline{
		Name:    "harmony",
		Predict: predict.Ladder{},
		Order:   b,
		Place:   b,
		Rules:   p.Rules(),
	}
	switch {
	case p.Order == orderReward || p.Backfill != backfillNone && p.Backfill != backfillEASY:
		pipeline.Backfill = backfill.Greedy{}
	case p.Backfill == backfillEASY:
		pipeline.Backfill = backfill.EASY{RunLength: engine.RunLengthByEstimate}
	}
	plan, err := pipeline.Decide(s)
	if err != nil {
		return nil, err
	}
	plan.Memo = policy.Remember(now)
	for i := range plan.Decisions {
		if d := &plan.Decisions[i]; b.placedBy != "" && d.Why != "" {
			d.Why += "; jobs are placed by " + b.placedBy
		}
	}
	return plan, nil
}

// System describes Harmony in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "harmony", Title: "Harmony: nodes by a reward learnt from jobs beside each other", Venue: "INFOCOM", Year: 2019,
		Cite:         `Y. Bao, Y. Peng, C. Wu, "Deep Learning-based Job Placement in Distributed Machine Learning Clusters", INFOCOM 2019`,
		Idea:         "Learn how much jobs of each class slow each other on a node, and place waiting jobs together where the sum of predicted speeds is largest.",
		OwnStages:    []string{"predict", "order", "place", "backfill"},
		NeededInputs: []string{"steps that jobs report, else how busy their GPUs are (to learn)", "model family, else how busy GPUs are (to tell classes apart)", "how long a job will run (for its weight)"},
		Fallback: "before anything was measured a neighbour on half of a node costs every job a tenth of its speed, and a class that was measured less than five times what all do on average; jobs of which neither steps nor use are known teach nothing; " +
			"a job of unknown length counts as long as the median of finished jobs",
		Reproduced: "200 jobs of 2 to 8 GPUs and eight classes on six servers of four, load .6, medians of 9 seeds: the best fixed placement of jobs by arrival takes 1.20 times as long (1.05 to 1.79), multifactor 1.15 times; " +
			"with Harmony's own order of jobs fixed placements take 1.02 times as long (.86 to 1.22), so that most comes from which jobs start. It has .97 of what it would gain with the true costs. Worked examples of pairs, and the best of all placements of three jobs in 20 draws",
		Deviations: []string{
			"The reward is predicted by ridge regression of how much of its speed a job loses beside jobs of each class, and placements are found by local search; the paper's networks, taught by actor and critic, are not there. An agent that learnt is harmony-rl.",
			"Jobs are gangs: their workers and parameter servers are not told apart.",
			"A job is only compared with itself, before and after its neighbours change, as nothing tells how fast it would be alone; how much being spread costs it is not learnt here.",
			"It explores nothing unless explore says so, which is for simulations. No job is stopped or moved.",
		},
		MayStarve:       true,
		SimulatorParams: paper.Params{"max_wait": "0s"},
	})
}

// canTryAll reports whether there are no more ways to place the batch than the search may try.
func (s *search) canTryAll() bool {
	ways := 1
	for _, places := range s.places {
		if ways *= len(places) + 1; ways > s.triesLeft {
			return false
		}
	}
	return true
}

// tryAll finds the best of all ways to give the jobs places of their lists. It reports whether there is one in which all
// that must have a place have one.
func (s *search) tryAll() (best []policy.Alloc, reward float64) {
	for _, x := range s.jobs {
		s.free(x)
	}
	s.reward = 0
	most := -1 // jobs with a place: where all must have one, more of them come before a larger reward
	var visit func(i, placed int)
	visit = func(i, placed int) {
		if i == len(s.jobs) {
			if most < 0 || !s.mayLeave && placed > most || (s.mayLeave || placed == most) && s.reward > reward*(1+leastGain) {
				best, reward, most = s.placement(), s.reward, placed
			}
			return
		}
		found := false
		for _, p := range s.places[i] {
			before := s.reward
			if s.take(s.jobs[i], p.on) {
				found = true
				visit(i+1, placed+1)
				s.free(s.jobs[i])
				s.reward = before
			}
		}
		if !found || s.mayLeave {
			visit(i+1, placed)
		}
	}
	visit(0, 0)
	if most < len(s.jobs) && !s.mayLeave {
		return nil, 0
	}
	return best, reward
}

// nodeParts are the jobs on each node, with what each holds there.
type nodeParts map[string][]nodePart

// nodePart is what a job holds of a node, in halves of its GPUs.
type nodePart struct {
	job    *policy.Job
	halves float64
}

func newNodeParts(s *policy.Snapshot) nodeParts {
	gpus := make(map[string]float64, len(s.Nodes))
	for i := range s.Nodes {
		gpus[s.Nodes[i].Name] = gpusOf(&s.Nodes[i])
	}
	parts := nodeParts{}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if !j.HoldsGPUs() {
			continue
		}
		for _, name := range j.On.Nodes() {
			parts[name] = append(parts[name], nodePart{j, halvesOn(j, j.On, name, gpus[name])})
		}
	}
	return parts
}

// gpusOf counts the GPUs of a node, sick ones too, which are of no use to any job but stay the same.
func gpusOf(n *policy.Node) float64 {
	all := 0.0
	for _, d := range n.GPUs {
		all += policy.GPUs{Count: d.Count, PartPercent: d.PartPercent}.WholeGPUs()
	}
	return all
}

// halvesOn is how many halves of a node's GPUs a job has there.
func halvesOn(j *policy.Job, on policy.Alloc, name string, gpus float64) float64 {
	if gpus <= 0 {
		return 0
	}
	return 2 * policy.GPUs{Count: on.CountOn(name), PartPercent: j.Ask.GPUs.PartPercent}.WholeGPUs() / gpus
}

// beside returns the others on the nodes of a job, and what they hold there by class: on the node where
// they hold most, as a gang goes as fast as its slowest part.
func (p nodeParts) beside(j *policy.Job) (ids []policy.JobID, byClass map[string]float64) {
	most := -1.0
	for _, name := range j.On.Nodes() {
		here, sum := map[string]float64{}, 0.0
		for _, part := range p[name] {
			if part.job.ID != j.ID {
				here[classOf(part.job)] += part.halves
				sum += part.halves
				ids = append(ids, part.job.ID)
			}
		}
		if sum > most {
			most, byClass = sum, here
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), byClass
}
