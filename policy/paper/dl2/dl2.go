// Package dl2 gives GPUs one by one to the elastic jobs that a trained network scores highest.
// The network learns in the simulator: first to do as a teacher, then by how long jobs take.
//
// Y. Peng, Y. Bao, Y. Chen, C. Wu, C. Meng, W. Lin, "DL2: A Deep Learning-driven Scheduler for
// Deep Learning Clusters", IEEE Transactions on Parallel and Distributed Systems 2021.
//
// Training is in lab/train; only the forward pass is here.
package dl2

import (
	"math"

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

// Choice is one step of an allotment: a candidate gets one device more, or none does. The last
// candidate is the one that ends the allotment.
type Choice struct {
	Features [][]float64 // of each candidate
	Open     []bool      // candidates that may be chosen; never opened again within a round
	Devices  []int       // each has; 0 for the last
	Left     []float64   // seconds that each has left on what it asks, the mean where that is not known; 0 for the last
	Gains    []float64   // speed that one device more gives each, relative to what it asks; 0 for the last
}

// A Chooser picks the candidate of a step. Among those that are open there is always the last.
type Chooser interface {
	Choose(c *Choice) int
}

// allotment divides what is free among jobs of a draft, device by device.
type allotment struct {
	draft   *sizing.Draft
	jobs    []*engine.Entry
	cluster clusterFacts
	choice  Choice
}

func newAllotment(r *engine.Round, d *sizing.Draft, jobs []*engine.Entry) *allotment {
	a := &allotment{draft: d, jobs: jobs, cluster: newClusterFacts(r, jobs)}
	n := len(jobs) + 1
	a.choice = Choice{make([][]float64, n), make([]bool, n), make([]int, n), make([]float64, n), make([]float64, n)}
	for i := range jobs {
		a.choice.Open[i] = true
		a.refresh(i)
	}
	a.choice.Features[n-1], a.choice.Open[n-1] = endFeatures(), true
	return a
}

// refresh brings what is known of a candidate up to date.
func (a *allotment) refresh(i int) {
	e := a.jobs[i]
	n := a.draft.Size(e)
	a.choice.Devices[i] = n
	a.choice.Left[i] = a.cluster.timeLeft(e)
	a.choice.Gains[i] = sizing.Speed(e, n+1) - sizing.Speed(e, n)
	a.choice.Features[i] = a.cluster.features(e, n)
	a.choice.Open[i] = a.choice.Open[i] && n < sizing.Most(e)
}

// run asks the chooser until it ends the allotment or no job can get more. It reports whether
// the chooser kept to the candidates.
func (a *allotment) run(c Chooser) bool {
	last := len(a.jobs)
	for {
		if !anyOpen(a.choice.Open[:last]) {
			return true
		}
		i := c.Choose(&a.choice)
		switch {
		case i == last:
			return true
		case i < 0 || i > last || !a.choice.Open[i]:
			return false
		case a.draft.TrySize(a.jobs[i], a.draft.Size(a.jobs[i])+1, nil):
			a.refresh(i)
		default:
			a.choice.Open[i] = false
		}
	}
}

func anyOpen(open []bool) bool {
	for _, o := range open {
		if o {
			return true
		}
	}
	return false
}

// featureNames name what the network sees of a candidate, in their order. Weights that were
// trained on other features are not used.
var featureNames = []string{"end", "left", "left_unknown", "left_to_mean", "devices_of_most", "devices_to_equal", "gain", "saves", "held", "age", "crowd"}

// endFeatures are those of the candidate that ends the allotment.
func endFeatures() []float64 {
	f := make([]float64, len(featureNames))
	f[0] = 1
	return f
}

// clusterFacts are what all candidates of a round are measured against.
type clusterFacts struct {
	round    *engine.Round
	meanLeft float64 // seconds, on what jobs ask
	equal    float64 // devices for each job
}

func newClusterFacts(r *engine.Round, jobs []*engine.Entry) clusterFacts {
	f, known := clusterFacts{round: r}, 0.0
	for _, e := range jobs {
		if left := e.Estimate().TimeLeft.Seconds(); left > 0 {
			f.meanLeft, known = f.meanLeft+left, known+1
		}
	}
	f.meanLeft /= max(known, 1)
	f.equal = max(r.WholeGPUs(), 1) / max(float64(len(jobs)), 1)
	return f
}

// day is a long time in seconds, by whose logarithm times are made small.
const day = 86_400

func logTime(seconds float64) float64 { return math.Log1p(max(seconds, 0)) / math.Log1p(day) }

// timeLeft is what a job has left on what it asks, in seconds; the mean of all where that is not known.
func (f *clusterFacts) timeLeft(e *engine.Entry) float64 {
	if left := e.Estimate().TimeLeft.Seconds(); left > 0 {
		return left
	}
	return f.meanLeft
}

// features are what the network sees of a job that has so many devices, each about 0 to 1.
func (f *clusterFacts) features(e *engine.Entry, devices int) []float64 {
	left := f.timeLeft(e)
	unknown, toMean := 0.0, 0.0
	if e.Estimate().TimeLeft <= 0 {
		unknown = 1
	} else {
		toMean = math.Log(left/f.meanLeft) / 4
	}
	now, next := sizing.Speed(e, devices), sizing.Speed(e, devices+1)
	saves := 1.0
	if now > 0 && next > 0 {
		saves = logTime(left/now - left/next)
	}
	held := 0.0
	if devices < e.On.Count() {
		held = 1
	}
	return []float64{0, logTime(left), unknown, math.Tanh(toMean), float64(devices) / float64(sizing.Most(e)), math.Tanh(float64(devices) / f.equal / 2),
		math.Tanh(next - now), saves, held, logTime(f.round.Now.Sub(e.Arrive).Seconds()), 1 / (1 + f.equal)}
}

// leastGain is by how much of its speed on what it asks a device more must speed a job up for the
// teacher to give it one.
const leastGain = .05

// ShortestFirst is the teacher: the next device goes to the job that has least time left on what
// it asks, of several to the first, while it gets faster by it.
type ShortestFirst struct{}

// Choose implements Chooser.
func (ShortestFirst) Choose(c *Choice) int {
	best := len(c.Open) - 1
	for i, open := range c.Open[:best] {
		if open && c.Gains[i] > leastGain && (best == len(c.Open)-1 || c.Left[i] < c.Left[best]) {
			best = i
		}
	}
	return best
}

// EqualShares is what the network is measured against: the next device goes to the job with fewest, as dominant resource
// fairness has it with one resource and equal weights; of several to the first.
type EqualShares struct{}

// Choose implements Chooser.
func (EqualShares) Choose(c *Choice) int {
	best := len(c.Open) - 1
	for i, open := range c.Open[:best] {
		if open && (best == len(c.Open)-1 || c.Devices[i] < c.Devices[best]) {
			best = i
		}
	}
	return best
}

// Scores is the policy network: it scores each candidate, and the best is chosen.
type Scores struct {
	network *network.Network
	seen    [][]float64 // features that scores are known of
	scores  []float64
}

// NewScores returns a chooser by a network of one output for FeatureNames.
func NewScores(n *network.Network) *Scores { return &Scores{network: n} }

// Choose implements Chooser. A score that is no number gives -1, which no candidate is.
func (s *Scores) Choose(c *Choice) int {
	best, most := -1, math.Inf(-1)
	for i, score := range s.ScoreAll(c) {
		switch {
		case !c.Open[i]:
		case math.IsNaN(score) || math.IsInf(score, 0):
			return -1
		case score > most:
			best, most = i, score
		}
	}
	return best
}

// ScoreAll returns the scores of all candidates; of those whose features are the very same as
// at the last step they are not worked out again. The caller must not change them.
func (s *Scores) ScoreAll(c *Choice) []float64 {
	if len(s.seen) != len(c.Features) {
		s.seen, s.scores = make([][]float64, len(c.Features)), make([]float64, len(c.Features))
	}
	for i, f := range c.Features {
		if s.seen[i] == nil || &s.seen[i][0] != &f[0] {
			s.seen[i], s.scores[i] = f, s.network.Forward(f)
		}
	}
	return s.scores
}
