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
