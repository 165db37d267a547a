// Package symphonynet packs as Symphony does (package symphony), by what a small network makes of what the linear-Gaussian
// filter believes of noisy counters. The network learnt in the simulator, which knows what jobs truly use.
//
// S. S. Banerjee, S. Jha, Z. T. Kalbarczyk, R. K. Iyer, "Inductive-bias-driven Reinforcement Learning
// for Efficient Schedules in Heterogeneous Clusters", ICML 2020.
//
// As the paper's, the network has its inductive bias from a probabilistic model of the machine: it sees the model's belief and how
// far readings are from that, and corrects it within bounds. Training is in lab/train/symphonynet; only the
// forward pass is here.
package symphonynet

import (
	_ "embed" // the weights
	"math"

	"fairbridge/policy"
	"fairbridge/policy/belief"
	"fairbridge/policy/paper/symphony"
	"fairbridge/policy/solve/network"
)

// WeightsVersion is the version of what the inputs of weights mean, and their output.
const WeightsVersion = 1

//go:embed weights.json
var shippedWeights []byte

// Policy is Symphony with its network and its parameters, most of which are those of package symphony.
type Policy struct {
	By            string  `param:"by" choices:"network,filter" default:"network" help:"whose belief counts: that of the trained network, or of the filter alone, from which it learnt"`
	MaxDifference float64 `param:"max_difference" default:"0.1" min:"0" max:"1" help:"by how much, 0..1, the network may change what the filter believes a job uses of its GPUs, at most"`
	symphony.Policy
	trainee *network.Network // for training; nil: By decides
}

// NewTrainee returns the policy as its simulator has it, with a network of the caller's own.
func NewTrainee(n *network.Network) (policy.Policy, error) {
	p, err := System().New(System().SimulatorParams)
	if err != nil {
		return nil, err
	}
	p.(*Policy).trainee = n
	return p, nil
}

// Correction is a belief.Estimator by a network.
type Correction struct{ *network.Network }

// Correct implements belief.Estimator.
func (c Correction) Correct(_ *policy.Job, features []float64) float64 {
	return math.Tanh(c.Forward(features))
}

// ReadWeights reads weights and says why they cannot be used.
func ReadWeights(raw []byte) (*network.Weights, error) {
	return network.ReadWeights(raw, WeightsVersion, belief.FeatureNames())
}

// Decide implements policy.Policy.
func (p *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	plan, err := p.believing(shippedWeights).Decide(s)
	if err != nil {
		return nil, err
	}
	plan.Policy = "symphony-net"
	return plan, nil
}

// believing returns Symphony by whom By names, and by the filter where weights cannot be used.
func (p *Policy) believing(weights []byte) *symphony.Policy {
	switch {
	case p.trainee != nil:
		return p.corrected(p.trainee, "a network in training")
	case p.By == "filter":
		return symphony.WithCorrector(&p.Policy, nil, "its teacher, the filter")
	}
	w, err := ReadWeights(weights)
	if err != nil {
		return symphony.WithCorrector(&p.Policy, nil, "the filter, since the weights cannot be used ("+err.Error()+")")
	}
	return p.corrected(&w.Network, "network "+network.ShortHash(weights))
}

func (p *Policy) corrected(n *network.Network, name string) *symphony.Policy {
	return symphony.WithCorrector(&p.Policy, &belief.Corrector{Estimator: Correction{n}, Name: name, MaxDifference: p.MaxDifference}, "")
}
