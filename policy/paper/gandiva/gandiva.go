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
	"cmp"
	"fmt"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/grant"
	"fairbridge/policy/pack"
	"fairbridge/policy/paper"
	"fairbridge/policy/place"
	"fairbridge/policy/predict"
)

// Policy is Gandiva with its parameters.
type Policy struct {
	Pack   bool          `param:"pack" default:"true" help:"put two jobs on the same GPUs when more is asked than there is; both owners must have said shareable"`
	Keep   float64       `param:"keep" default:"1" min:"0.5" max:"2" help:"what the two speeds of a pair, each relative to being alone, must exceed in sum"`
	Window time.Duration `param:"window" default:"5m" min:"1" help:"how long a pair is measured before it is judged"`
	// MinRun is a turn.
	paper.PatientLimits
}

// Decide implements policy.Policy.
func (g *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	last, err := recallMemo(s)
	if err != nil {
		return nil, fmt.Errorf("policy gandiva: %w", err)
	}
	stage := &timeSliceAllocator{Policy: g, memo: last}
	plan, err := engine.Pipeline{
		Name:     "gandiva",
		Predict:  predict.Ladder{},
		Allocate: stage,
		Place:    place.GangSizeAffinity{},
		Pack:     pack.BesideAssignedPartner{},
		Backfill: backfill.Greedy{},
		Rules:    g.Rules(),
	}.Decide(s)
	if err != nil {
		return nil, err
	}
	plan.Memo = policy.Remember(stage.memo)
	return plan, nil
}

// System describes Gandiva in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "gandiva", Title: "Gandiva: time slices, and pairs that are kept while they pay", Venue: "OSDI", Year: 2018,
		Cite:         `W. Xiao et al., "Gandiva: Introspective Cluster Scheduling for Deep Learning", OSDI 2018`,
		Idea:         "Let all jobs take equal turns, and share GPUs between two wherever together they are faster than alone.",
		OwnStages:    []string{"predict", "order", "lease", "place", "pack", "preempt"},
		NeededInputs: []string{"run time received", "speeds beside a neighbour, or measured GPU utilisation (to pack)"},
		Fallback:     "jobs of unknown speed and utilisation are never paired; the turns need nothing",
		Reproduced:   "average JCT 1.36 times shorter than FIFO's and 16 % more work from pairs (Gavel-like load, medians); six jobs on four GPUs in equal turns, pairs kept at 1.45 and undone at 0.85, servers by size of gang",
		Deviations: []string{
			"No migration: under Slurm it would be a requeue, which costs minutes where the paper's takes seconds.",
			"No growing and shrinking: a job has the GPUs it asked for.",
			"Pairs are chosen from the speeds that jobs report beside each other, or from measured utilisation, and only judged by trial; the paper tries pairs as they come.",
			"Turns are leases by requeue; the paper suspends processes for a minute.",
		},
		SimulatorParams: paper.Params{"min_run": "1s", "max_stops": -1, "max_wait": "0s", "window": "1m"},
	})
}

// timeSliceAllocator is an engine.Allocator: it hands out the time slices of one round.
// Two jobs that are packed on the same GPUs take one slice together: the host holds
// the lease, the guest goes with it.
type timeSliceAllocator struct {
	*Policy
	memo *memo // as remembered; Allocate replaces it
}

// Allocate implements engine.Allocator: the job that had the least time first.
func (s *timeSliceAllocator) Allocate(r *engine.Round) ([]engine.Assignment, error) {
	next := s.memo.update(r)
	unpacked := s.introspect(r, s.memo.Pairs, next)
	s.packJobs(r, next, unpacked)
	s.memo = next
	host := map[policy.JobID]policy.JobID{}
	for _, p := range next.Pairs {
		host[p.Guest] = p.Host
	}
	line := slices.Clone(r.Entries)
	slices.SortFunc(line, func(a, b *engine.Entry) int {
		return cmp.Or(cmp.Compare(next.SecondsRun[a.Index], next.SecondsRun[b.Index]), cmp.Compare(b.Ask.GPUs.Count, a.Ask.GPUs.Count), cmp.Compare(a.ID, b.ID))
	})
	turns, left, leased := make([]engine.Assignment, len(line)), grant.CountGrantableDevices(r), map[policy.JobID]bool{}
	for i, e := range line {
		t := e.AssignmentWithoutLease()
		if !r.OmitReasons {
			t.Note = fmt.Sprintf("it has had turns of %s, fewest first", policy.FormatSeconds(next.SecondsRun[e.Index]))
		}
		t.BesideJob = host[e.ID]
		if t.Grant.StopReason = unpacked[e.ID]; t.Grant.StopReason == "" && t.BesideJob == 0 {
			t.Grant.HasLease = grant.CompetesForLease(r, e) && left.TakeDevices(e.Ask.GPUs.Type, t.DeviceCount)
			leased[e.ID] = t.Grant.HasLease
		}
		turns[i] = t
	}
	for i := range turns {
		turns[i].Grant.MayRunWithoutLease = leased[turns[i].BesideJob]
	}
	return turns, nil
}
