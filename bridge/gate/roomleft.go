package gate

import (
	"cmp"
	"slices"

	"fairbridge/bridge/actuator/sharing"
	"fairbridge/bridge/invariant"
	"fairbridge/policy"
)

// delayStartsWithoutRoom lets those wait whose place stays taken because a stop was refused or put
// off: the room of one stop may have been for several jobs.
func (g *planGate) delayStartsWithoutRoom() {
	if len(g.output.Refusals) == 0 && !g.hasPostponedStops {
		return
	}
	free, starts := g.remainingRoom()
	slices.SortFunc(starts, func(a, b *policy.Decision) int { return cmp.Or(cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.Job, b.Job)) })
	for _, d := range starts {
		if free.HasRoomFor(d.On) {
			free.Subtract(d.On, 1)
			continue
		}
		n := deny(invariant.StopPurpose, "its place on %v stays taken: a stop was refused or put off", d.On.Nodes())
		g.addRefusal(d.Job, n)
		d.Verb, d.On, d.Why = policy.Wait, nil, "waits in the queue: "+n.Why
	}
}

// remainingRoom is what is free when every job has what the plan leaves it, and
// the decisions that want a part of it.
func (g *planGate) remainingRoom() (free deviceCounts, starts []*policy.Decision) {
	free, seen := countHealthy(g.Snapshot, true), heldDevices{}
	for i := range g.output.Plan.Decisions {
		switch d := &g.output.Plan.Decisions[i]; {
		case sharing.IsBeside(d, g.output.Plan, g.Snapshot): // it takes no device that is free
		case d.Verb == policy.Start && len(d.On) > 0:
			starts = append(starts, d)
		case g.Snapshot.Jobs[i].HoldsGPUs() && d.Verb != policy.Stop:
			free.SubtractHeld(d.On, seen)
		}
	}
	return free, starts
}
