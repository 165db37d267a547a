// Package lucid serves the job first that is predicted to need the least GPU time, stops none,
// and lets a job that would wait share the GPUs of one that runs, where a simple score of both says
// that they hardly slow each other.
//
// Q. Hu, M. Zhang, P. Sun, Y. Wen, T. Zhang, "Lucid: A Non-intrusive, Scalable and
// Interpretable Scheduler for Deep Learning Training Jobs", ASPLOS 2023.
package lucid

import (
	"time"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/order"
	"fairbridge/policy/paper"
	"fairbridge/policy/place"
	"fairbridge/policy/predict"
)

// Values of Policy.Partner.
const (
	partnerMatched = "matched"
	partnerFirst   = "first"
)

// Policy is Lucid with its parameters.
type Policy struct {
	Score   int           `param:"score" default:"2" min:"0" max:"4" help:"largest sum of the sharing scores of two jobs that share GPUs: 0 for a job whose GPU computes less than 25 % of the time, 1 below 53 %, 2 above"`
	MaxGPUs int           `param:"max_gpus" default:"8" min:"1" help:"no job of more GPUs than these shares them"`
	Ride    float64       `param:"ride" default:"2" help:"a job joins one that has at least its own GPU time left divided by this"`
	Partner string        `param:"partner" choices:"matched,first" default:"matched" help:"whom waiting jobs join: by a matching, those together that slow each other least; or each the first that suits"`
	Profile time.Duration `param:"profile" default:"200s" help:"how long a job runs before what is measured of it counts as its profile"`
	Window  time.Duration `param:"window" default:"1h" help:"time of which arrivals are counted, for those expected in the next such time; 0s: jobs share at all times"`
	Busy    int           `param:"busy" default:"2" help:"jobs share while more arrivals than these are expected; else they start one by one, none passing another"`
	paper.MaxWaitParam
}

// Decide implements policy.Policy.
func (p *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	byLength := order.ByLength{KeysBefore: order.ByKeys{order.ActiveFirst}, UnknownLength: predict.MedianRunTime(s.History), UseGPUTime: true}
	pipeline := engine.Pipeline{
		Name:    "lucid",
		Predict: predict.Ladder{},
		Order:   byLength,
		Place:   place.Consolidated{},
		Rules:   p.Rules(),
	}
	if p.isBusy(s) {
		b := &binder{Policy: p, ByLength: byLength}
		pipeline.Order, pipeline.Pack, pipeline.Backfill = b, b, backfill.Greedy{}
	}
	return pipeline.Decide(s)
}

// isBusy reports whether so many arrivals are expected that jobs share: as many as there were in the last
// window, of those that are still there.
func (p *Policy) isBusy(s *policy.Snapshot) bool {
	if p.Window == 0 {
		return true
	}
	arrivals, since := 0, s.Now.Add(-p.Window)
	for i := range s.Jobs {
		if s.Jobs[i].Arrive.After(since) {
			arrivals += s.Jobs[i].TaskCount()
		}
	}
	return arrivals > p.Busy
}

// System describes Lucid in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "lucid", Title: "Lucid: least predicted GPU time first, two jobs on a GPU where it hardly hurts", Venue: "ASPLOS", Year: 2023,
		Cite:         `Q. Hu et al., "Lucid: A Non-intrusive, Scalable and Interpretable Scheduler for Deep Learning Training Jobs", ASPLOS 2023`,
		Idea:         "Serve the job with the least predicted GPU time, and let two share GPUs where a score of both says that they hardly slow each other.",
		OwnStages:    []string{"predict", "order", "pack", "backfill"},
		NeededInputs: []string{"how long a job will run, from history", "how much of the time its GPU computes, and the memory it uses there (to share)", "the memory of the GPUs (to share)"},
		Fallback:     "jobs of which neither was measured, and those on GPUs of unknown memory, never share; a job of unknown length counts as long as the median of finished jobs",
		Reproduced:   "its own cases of who joins whom; a month of Venus' kind: see docs/evaluation.md",
		Deviations: []string{
			"Jobs are profiled where they run, in their first minutes, and go on there; the paper runs them on nodes set apart first and starts them anew.",
			"A job that finds free GPUs runs alone; the paper packs it even then.",
			"Who joins whom is found by a matching for up to 64 waiting jobs at a time; the paper takes the first that suits. partner=first does.",
			"Arrivals of the next window are expected to be those of the last; the paper's model of them is trained on months.",
			"A pair that was measured to be slow is parted by what watches shared GPUs, not by the policy, which stops no job.",
		},
		MayStarve:       true,
		SimulatorParams: paper.Params{"max_wait": "0s"},
	})
}
