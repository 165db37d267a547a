// Package harmonyrl places waiting jobs as Harmony does (package harmony), by an agent: a small network that was taught in the simulator
// says, one after the other, which job goes where.
//
// Y. Bao, Y. Peng, C. Wu, "Deep Learning-based Job Placement in Distributed Machine Learning
// Clusters", INFOCOM 2019.
//
// Training is in lab/train/harmonyrl; only the forward pass is here.
package harmonyrl

import (
	_ "embed" // the weights

	"fairbridge/policy"
	"fairbridge/policy/paper/harmony"
	"fairbridge/policy/solve/network"
)

// WeightsVersion is the version of what the inputs of weights mean.
const WeightsVersion = 1

//go:embed weights.json
var shippedWeights []byte

// Policy is Harmony with its agent and its parameters, most of which are those of package harmony.
type Policy struct {
	By            string  `param:"by" choices:"network,search" default:"network" help:"who places jobs: the trained network, or the search by predicted rewards that it is compared with"`
	MaxDifference float64 `param:"max_difference" default:"0.1" min:"0" max:"1" help:"by which part the reward that is predicted for the network's placement may be smaller than for that of the search, at most: beyond it the search decides; 1: any"`
	harmony.Policy
	trainee harmony.Agent // for training; nil: By decides
}

// NewTrainee returns the policy as its simulator has it, with an agent of the caller's own.
func NewTrainee(a harmony.Agent) (policy.Policy, error) {
	p, err := System().New(System().SimulatorParams)
	if err != nil {
		return nil, err
	}
	p.(*Policy).trainee = a
	return p, nil
}

// Score is a harmony.Agent by a network.
type Score struct{ *network.Network }

// Score implements harmony.Agent.
func (n Score) Score(features []float64, _ float64) float64 { return n.Forward(features) }

// ReadWeights reads weights and says why they cannot be used.
func ReadWeights(raw []byte) (*network.Weights, error) {
	return network.ReadWeights(raw, WeightsVersion, harmony.AgentFeatureNames())
}

// Decide implements policy.Policy.
func (p *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	plan, err := p.placing(shippedWeights).Decide(s)
	if err != nil {
		return nil, err
	}
	plan.Policy = "harmony-rl"
	return plan, nil
}

// placing returns Harmony with placements by whom By names, and by the search where weights cannot be used.
func (p *Policy) placing(weights []byte) *harmony.Policy {
	switch {
	case p.trainee != nil:
		return harmony.WithAgent(&p.Policy, p.trainee, "a network in training", p.MaxDifference)
	case p.By == "search":
		return harmony.WithAgent(&p.Policy, nil, "its teacher, the search", 0)
	}
	w, err := ReadWeights(weights)
	if err != nil {
		return harmony.WithAgent(&p.Policy, nil, "the search, since the weights cannot be used ("+err.Error()+")", 0)
	}
	return harmony.WithAgent(&p.Policy, Score{&w.Network}, "network "+network.ShortHash(weights), p.MaxDifference)
}
