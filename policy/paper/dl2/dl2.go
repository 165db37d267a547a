// Package dl2 gives GPUs one by one to the elastic jobs that a trained network scores highest.
// The network learns in the simulator: first to do as a teacher, then by how long jobs take.
//
// Y. Peng, Y. Bao, Y. Chen, C. Wu, C. Meng, W. Lin, "DL2: A Deep Learning-driven Scheduler for
// Deep Learning Clusters", IEEE Transactions on Parallel and Distributed Systems 2021.
//
// Training is in lab/train; only the forward pass is here.
package dl2

import (
	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/paper"
	"fairbridge/policy/predict"
	"fairbridge/policy/sizing"
	"fairbridge/policy/solve/network"
)

// Policy is DL2 with its parameters.
type Policy struct {
	By            string  `param:"by" choices:"network,teacher,equal" default:"network" help:"who chooses: the trained network, the teacher it began by imitating (the shortest first, while it gets faster), or equal shares"`
	MaxChange     float64 `param:"max_change" default:"0.1" min:"0" max:"1" help:"part of all GPUs that running jobs may have to give up in one round, at most"`
	MaxDifference float64 `param:"max_difference" default:"0.25" min:"0" max:"1" help:"part of all GPUs that the network may give otherwise in a round than its teacher would: beyond it the teacher decides; 1: all"`
	Step          float64 `param:"step" default:"1.5" min:"1" help:"factor by which a running job must be able to grow to be worth its restart; 1: any"`
	paper.Limits
	chooser Chooser // for training; nil: By decides
}

// NewTrainee returns the policy as its simulator has it, with a chooser of the caller's own.
func NewTrainee(c Chooser) (policy.Policy, error) {
	p, err := System().New(System().SimulatorParams)
	if err != nil {
		return nil, err
	}
	p.(*Policy).chooser = c
	return p, nil
}

// Decide implements policy.Policy.
func (f *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	chooser, source := f.newChooser(shippedWeights)
	return engine.Pipeline{
		Name:     "dl2",
		Predict:  predict.Ladder{},
		Allocate: sizer{f, chooser, source},
		Preempt:  sizing.StopsNone{},
		Backfill: backfill.Greedy{},
		Rules:    f.Rules(),
	}.Decide(s)
}

// newChooser returns who chooses: the teacher where weights cannot be used.
func (f *Policy) newChooser(weights []byte) (c Chooser, source string) {
	switch {
	case f.chooser != nil:
		return f.chooser, "a network in training"
	case f.By == "teacher":
		return ShortestFirst{}, "its teacher, the shortest first"
	case f.By == "equal":
		return EqualShares{}, "equal shares"
	}
	w, err := ReadWeights(weights)
	if err != nil {
		return ShortestFirst{}, "the teacher, since the weights cannot be used (" + err.Error() + ")"
	}
	return NewScores(&w.Network), "the scores of network " + network.ShortHash(weights)
}

// System describes DL2 in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "dl2", Title: "A scheduler learnt in the simulator", Venue: "TPDS", Year: 2021,
		Cite:         `Y. Peng et al., "DL2: A Deep Learning-driven Scheduler for Deep Learning Clusters", IEEE TPDS 2021`,
		Idea:         "Let a trained network give GPUs one by one to the elastic jobs it scores highest.",
		OwnStages:    []string{"predict", "order", "size", "backfill"},
		NeededInputs: []string{"how long a job will run: steps and speed, progress, history, or time limit", "least and most GPUs of elastic jobs", "how fast a job goes on other sizes"},
		Fallback:     "where a score is no number, the weights are of another version or the network would give more than max_difference of all GPUs otherwise, its teacher decides: the shortest first; a job without a range gets what it asks; the guard has the teacher decide where jobs took a tenth longer by the network in 24 hours",
		Reproduced:   "the fixed weights of a worked example; on seven drawn workloads of 160 jobs on 64 GPUs that it did not learn from: 0.491 of the mean completion time of equal shares (0.443 to 0.530), 0.968 of its teacher's (0.958 to 1.007) and 0.858 of Optimus' (0.830 to 0.998); after imitation alone within 5 % of its teacher (median 0.964 on the size it learns on, 0.942 to 0.987)",
		Deviations: []string{
			"A job has workers only, no parameter servers: an action is one GPU more for one job, or the end.",
			"One small network scores each job by itself, in place of a window of 20 jobs at once: as many jobs as there are, and their order plays no part.",
			"It begins by imitating the shortest first, not dominant resource fairness: from equal shares it learnt no more than to have 0.85 of their mean completion time.",
			"It never learns in live use, where exploring would cost users: it is trained in the simulator by fairbridge-lab train dl2.",
			"In one round running jobs give up a tenth of all GPUs at most, and grow by a factor or not at all.",
		},
		MayStarve:       true,
		Teacher:         paper.Params{"by": "teacher"},
		ObserveOnly:     "it was trained on drawn workloads only, and nobody has yet compared its decisions with the site's own",
		SimulatorParams: paper.Params{"max_change": 1., "max_difference": 1., "min_run": "1s", "max_stops": -1},
	})
}
