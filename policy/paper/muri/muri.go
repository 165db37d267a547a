// Package muri lets up to four jobs share GPUs and take turns at the resources a step needs:
// while one computes, another reads its input or exchanges over the network. Jobs are grouped by
// matchings of the largest weight, no further than it takes for those whose turn it is to fit.
//
// Y. Zhao, Y. Liu, Y. Peng, Y. Zhu, X. Liu, X. Jin, "Multi-Resource Interleaving for
// Deep Learning Training", SIGCOMM 2022.
//
// The paper groups all jobs anew every few minutes. Here a stop is a requeue, and jobs that share
// GPUs already stay together.
package muri

import (
	"cmp"
	"fmt"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/colocate"
	"fairbridge/policy/engine"
	"fairbridge/policy/grant"
	"fairbridge/policy/pack"
	"fairbridge/policy/paper"
	"fairbridge/policy/place"
	"fairbridge/policy/predict"
)

// Values of Policy.Lengths.
const (
	lengthsKnown    = "known"
	lengthsAttained = "attained"
)

// Policy is Muri with its parameters.
type Policy struct {
	Lengths string `param:"lengths" choices:"known,attained" default:"attained" help:"whose turn it is: known, of the job with the least GPU time left (Muri-S); attained, of the one that had the least (Muri-L)"`
	Unpack  bool   `param:"unpack" default:"true" help:"do not let jobs share GPUs of which a step together takes longer than one of each after another"`
	Jobs    int    `param:"jobs" default:"4" min:"1" max:"4" help:"how many jobs may share GPUs, where all of them accept as many"`
	paper.PatientLimits
}

// Decide implements policy.Policy.
func (p *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	return engine.Pipeline{
		Name:     "muri",
		Predict:  predict.Ladder{},
		Allocate: &packAllocator{Policy: p},
		Place:    place.Consolidated{},
		Pack:     pack.BesideAssignedPartner{},
		Backfill: backfill.Greedy{},
		Rules:    p.Rules(),
	}.Decide(s)
}

// System describes Muri in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "muri", Title: "Muri: jobs that take turns at input, GPU and network", Venue: "SIGCOMM", Year: 2022,
		Cite:         `Y. Zhao et al., "Multi-Resource Interleaving for Deep Learning Training", SIGCOMM 2022`,
		Idea:         "Let jobs share GPUs that need different resources at different times of a step.",
		OwnStages:    []string{"predict", "order", "lease", "pack", "preempt"},
		NeededInputs: []string{"seconds of a step at input, GPU and network (to share)", "GPU time received; or how long a job still runs"},
		Fallback:     "jobs of which the stages of a step are not known, or whose owners accept no neighbour, run alone",
		Reproduced: "its published simulator's rule, restated on its clock: mean completion times of Muri-S and Muri-L within 2 % of the published, 99 % within 4 % " +
			"(traces 3 and 3', 992 jobs on 64 GPUs); the model of a cycle to six digits",
		Deviations: []string{
			"Jobs that share GPUs stay together, and a waiting one joins them; the paper groups all jobs anew every few minutes, which under Slurm would be a requeue of each.",
			"A job that finds free GPUs runs alone, although the grouping put it beside another.",
			"Memory counts: jobs whose memory together is known to exceed the GPU's are never put together.",
		},
		SimulatorParams: paper.Params{"min_run": "1s", "max_stops": -1, "max_wait": "0s"},
	})
}

// packAllocator is an engine.Allocator: it says who holds GPUs in this round, and beside whom.
type packAllocator struct{ *Policy }

// Allocate implements engine.Allocator. In each pack one job holds the lease, one that runs
// where there is one; the others go with it.
func (a *packAllocator) Allocate(r *engine.Round) ([]engine.Assignment, error) {
	line := slices.Clone(r.Entries)
	slices.SortFunc(line, func(x, y *engine.Entry) int {
		return engine.ThenArrival(cmp.Compare(a.turn(x), a.turn(y)), x, y)
	})
	packs, parted := a.makePacks(r, line)
	hosts := colocate.HostsOf(r, packs)
	slices.SortStableFunc(line, func(x, y *engine.Entry) int { return cmp.Compare(rank(hosts, x), rank(hosts, y)) })
	if !r.OmitReasons {
		for _, e := range line {
			e.Note = a.noteFor(e, hosts[e.Index])
		}
	}
	assignments := hosts.Assign(line)
	for i, e := range line {
		if hosts[e.Index] == nil && parted[e] != 0 {
			assignments[i].Grant.StopReason = fmt.Sprintf("beside job %d a step takes longer than one of each after another", parted[e])
		}
	}
	return assignments, nil
}

// rank puts those that hold a lease first, the widest of them before the others, for which room is
// harder to find.
func rank(hosts colocate.Hosts, e *engine.Entry) int {
	if hosts[e.Index] == e {
		return -e.DeviceCount()
	}
	return 0
}

// turn is the less the sooner it is the job's turn, GPU-seconds.
func (a *packAllocator) turn(e *engine.Entry) float64 {
	if a.Lengths == lengthsKnown && e.Estimate().TimeLeft > 0 {
		return float64(policy.ServiceForTime(e.Ask.GPUs.WholeGPUs(), e.Estimate().TimeLeft))
	}
	return float64(e.Attained)
}

// noteFor says what decided when it is the job's turn, and beside whom it runs.
func (a *packAllocator) noteFor(e, host *engine.Entry) string {
	note := fmt.Sprintf("it has had %v, least first", e.Attained)
	if a.Lengths == lengthsKnown && e.Estimate().TimeLeft > 0 {
		note = fmt.Sprintf("%v left by its %s, least first", policy.GPUSeconds(a.turn(e)), e.Estimate().Source)
	}
	if host != nil && host != e {
		note += fmt.Sprintf("; it may take turns with job %s at input, GPU and network", host.Label())
	}
	return note
}

// chooseCandidates returns the units that are to run, in order of their turn: while GPUs last, each of
// them and the next on as many that could share with it. It returns also how many GPUs are there
// for them by type.
func (a *packAllocator) chooseCandidates(r *engine.Round, units [][]*engine.Entry) (chosen [][]*engine.Entry, gpus map[string]int) {
	left, room := grant.CountGrantableDevices(r), map[colocate.Devices]int{}
	gpus = map[string]int{}
	for _, u := range units {
		on := colocate.DevicesOf(r, u[0])
		shares, isFixed := isKnown(u[0]), slices.ContainsFunc(u, func(e *engine.Entry) bool { return e.IsUnstoppable })
		switch {
		case isFixed: // its GPUs are not there to be granted
			gpus[on.GPUType] += on.Count
			if shares {
				room[on] += a.Jobs - len(u)
			}
		case shares && room[on] >= len(u):
			room[on] -= len(u)
		case left.TakeDevices(on.GPUType, on.Count):
			gpus[on.GPUType] += on.Count
			if shares {
				room[on] += a.Jobs - len(u)
			}
		default:
			continue
		}
		chosen = append(chosen, u)
	}
	for _, d := range left {
		gpus[d.Type] += d.Count
		if !d.IsSlice {
			gpus[""] += d.Count
		}
	}
	return chosen, gpus
}
