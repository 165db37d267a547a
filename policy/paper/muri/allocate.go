package muri

import (
	"cmp"
	"fmt"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/colocate"
	"fairbridge/policy/engine"
	"fairbridge/policy/grant"
)

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
