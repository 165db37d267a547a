// Package mlfrl ranks jobs by the score of a small network that was taught in the simulator: first to rank
// them as MLF-H does, the heuristic of package mlfs, then by how long jobs take and which deadlines are met.
//
// H. Wang, Z. Liu, H. Shen, "Job Scheduling for Large-Scale Machine Learning Clusters", CoNEXT 2020: MLF-RL.
//
// Training is in lab/train/mlfrl; only the forward pass is here.
package mlfrl

import (
	_ "embed" // the weights

	"fairbridge/policy"
	"fairbridge/policy/paper"
	"fairbridge/policy/paper/mlfs"
	"fairbridge/policy/solve/network"
)

// WeightsVersion is the version of what the inputs of weights mean.
const WeightsVersion = 1

//go:embed weights.json
var shippedWeights []byte

// Policy is MLF-RL with its parameters, most of which are those of MLF-H.
type Policy struct {
	By string `param:"by" choices:"network,teacher" default:"network" help:"who ranks jobs: the trained network, or the heuristic that it began by imitating"`
	mlfs.Policy
}

// Score is the score of a job by a network.
type Score struct{ *network.Network }

// Score implements mlfs.Scorer.
func (n Score) Score(features []float64, _ float64) float64 { return n.Forward(features) }

// ReadWeights reads weights and says why they cannot be used.
func ReadWeights(raw []byte) (*network.Weights, error) {
	return network.ReadWeights(raw, WeightsVersion, mlfs.FeatureNames())
}

// Decide implements policy.Policy.
func (p *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	plan, err := p.ranking(shippedWeights).Decide(s)
	if err != nil {
		return nil, err
	}
	plan.Policy = "mlf-rl"
	return plan, nil
}

// ranking returns MLF-H with the scores of the network, and as it is where the teacher decides or weights cannot be used.
func (p *Policy) ranking(weights []byte) *mlfs.Policy {
	if p.By != "network" {
		return &p.Policy
	}
	w, err := ReadWeights(weights)
	if err != nil {
		return mlfs.WithScorer(&p.Policy, heuristic{}, "the heuristic, since the weights cannot be used ("+err.Error()+")")
	}
	return mlfs.WithScorer(&p.Policy, Score{&w.Network}, "network "+network.ShortHash(weights))
}

// heuristic scores by the heuristic's own priority.
type heuristic struct{}

func (heuristic) Score(_ []float64, priority float64) float64 { return priority }

// System describes MLF-RL in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "mlf-rl", Title: "MLF-RL: a ranking learnt from MLF-H in the simulator", Venue: "CoNEXT", Year: 2020,
		Cite:         `H. Wang, Z. Liu, H. Shen, "Job Scheduling for Large-Scale Machine Learning Clusters", CoNEXT 2020`,
		Idea:         "Let a small network rank jobs, which first learnt to rank as MLF-H does and then by how long jobs take and which deadlines they meet.",
		OwnStages:    mlfs.System().OwnStages,
		NeededInputs: mlfs.System().NeededInputs,
		Fallback:     "where a score is no number or the weights are of another version, its teacher decides, MLF-H; the guard has the teacher decide where jobs took a tenth longer by the network in 24 hours. " + mlfs.System().Fallback,
		Reproduced: "drawn workloads of MLFS' kind that it did not learn from, 80 GPUs, medians: MLF-H takes 1.07 times as long with 160 jobs at a load of 1.2, as many as it learnt on (1.02 to 1.24, 9 seeds), and 1.41 times with 620 at 1.1 (1.24 to 1.61, 3 seeds), " +
			"with .02 and .07 more of the deadlines met; the shortest first alone is as good or better (.99 and .92 of its mean). After imitation alone it has .99 of its teacher's mean (.88 to 1.09, 7 seeds)",
		Deviations: []string{
			"The network scores each job by itself, from what MLF-H knows of it; the paper's sees all tasks and servers at once, and places too.",
			"It imitates by regression, and is improved by evolution strategies, which try drawn changes of its weights; the paper's agent follows the gradient of its rewards.",
			"Of the paper's rewards completion times and deadlines count; bandwidth and accuracy are not simulated.",
			"It never learns in live use, where exploring would cost users: it is trained in the simulator by fairbridge-lab train mlf-rl.",
		},
		MayStarve:       true,
		Teacher:         paper.Params{"by": "teacher"},
		ObserveOnly:     "it was trained on drawn workloads only, and nobody has yet compared its decisions with the site's own",
		SimulatorParams: mlfs.System().SimulatorParams,
	})
}
