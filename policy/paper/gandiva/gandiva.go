// Package gandiva lets jobs take turns, equally long, and puts two on the same GPUs
// where their speeds together exceed that of one alone. It judges by
// introspection: a pair that turns out slower than turns is undone and not
// tried again.
//
// W. Xiao, R. Bhardwaj, R. Ramjee, M. Sivathanu, N. Kwatra, Z. Han, P. Patel,
// X. Peng, H. Zhao, Q. Zhang, F. Yang, L. Zhou, "Gandiva: Introspective Cluster
// Scheduling for Deep Learning", OSDI 2018.
//
// Its turns of a minute by suspending processes are leases here, as Slurm
// would have to requeue the job; migration and growing are left out.
package gandiva

import (
	"fmt"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/pack"
	"fairbridge/policy/paper"
	"fairbridge/policy/place"
	"fairbridge/policy/predict"
)

// Policy is Gandiva with its parameters.
type Policy struct {
	Pack     bool          // put two jobs on the same GPUs
	Keep     float64       // the two speeds of a pair, each relative to being alone, must sum to more
	Window   time.Duration // how long a pair is measured before it is judged
	MinRun   time.Duration // a turn: shortest run before a job may be stopped
	MaxStops int           // stops in a job's life; negative: any number
	MaxWait  time.Duration // wait after which nobody may delay a job; 0: never
}

// Decide implements policy.Policy.
func (g *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	past, err := readSlices(s)
	if err != nil {
		return nil, fmt.Errorf("policy gandiva: %w", err)
	}
	turn := &slicer{Policy: g, past: past, guests: pack.With{}}
	plan, err := engine.Pipeline{
		Name:     "gandiva",
		Predict:  predict.Ladder{},
		Order:    turn,
		Lease:    turn,
		Place:    place.Affinity{},
		Pack:     turn.guests,
		Backfill: backfill.Greedy{},
		Preempt:  turn,
		Rules:    paper.PatientRules(g.MinRun, g.MaxStops, g.MaxWait),
	}.Decide(s)
	if err != nil {
		return nil, err
	}
	plan.Memo = policy.Remember(turn.now)
	return plan, nil
}

// System describes Gandiva in the catalogue.
func System() paper.System {
	params := []paper.Param{
		{Name: "pack", Kind: paper.Bool, Default: true, Help: "put two jobs on the same GPUs when more is asked than there is; both owners must have said shareable"},
		{Name: "keep", Kind: paper.Number, Default: 1, Min: 0.5, Max: 2, Help: "what the two speeds of a pair, each relative to being alone, must exceed in sum"},
		{Name: "window", Kind: paper.Duration, Default: "5m", Min: 1, Help: "how long a pair is measured before it is judged"},
		paper.MinRunParam, paper.MaxStopsParam, paper.PatientWaitParam,
	}
	return paper.System{
		Name: "gandiva", Title: "Gandiva: time slices, and pairs that are kept while they pay", Venue: "OSDI", Year: 2018,
		Cite:       `W. Xiao et al., "Gandiva: Introspective Cluster Scheduling for Deep Learning", OSDI 2018`,
		Idea:       "Let all jobs take equal turns, and share GPUs between two wherever together they are faster than alone.",
		Stages:     []string{"predict", "order", "lease", "place", "pack", "preempt"},
		Needs:      []string{"run time received", "speeds beside a neighbour, or measured GPU utilisation (to pack)"},
		Fallback:   "jobs of unknown speed and utilisation are never paired; the turns need nothing",
		Reproduced: "average JCT 1.36 times shorter than FIFO's and 16 % more work from pairs (Gavel-like load, medians); six jobs on four GPUs in equal turns, pairs kept at 1.45 and undone at 0.85, servers by size of gang",
		Params:     params,
		Exact:      paper.Params{"min_run": "1s", "max_stops": -1, "max_wait": "0s", "window": "1m"},
		New: paper.Construct(params, func(v paper.Values) policy.Policy {
			return &Policy{Pack: v.Flag("pack"), Keep: v.Number("keep"), Window: v.Duration("window"),
				MinRun: v.Duration("min_run"), MaxStops: v.Integer("max_stops"), MaxWait: v.Duration("max_wait")}
		}),
	}
}
