package sia

import (
	"cmp"
	"fmt"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/solve/choice"
)

// allocator is the stage, for one Decide.
type allocator struct{ *Policy }

// candidate is a job that may have another configuration than it has, or none.
type candidate struct {
	*engine.Entry
	options  []configuration
	chosen   int // index in options, -1: none
	alloc    policy.Alloc
	isOusted bool // it runs, has no alloc, and its devices are another's
}

// Allocate implements engine.Allocator.
func (a allocator) Allocate(engineRound *engine.Round) ([]engine.Assignment, error) {
	r := &round{engineRound, a.Policy, listKinds(engineRound)}
	var candidates []*candidate
	byEntry := make([]*candidate, len(r.Entries))
	for i, e := range r.Entries {
		if !e.IsUnstoppable && r.MayRun(e) && e.UnplaceableReason == "" {
			byEntry[i] = &candidate{Entry: e, options: r.configurations(e)}
			candidates = append(candidates, byEntry[i])
		}
	}
	r.choose(candidates)
	r.place(candidates)
	return r.listAssignments(byEntry), nil
}

// listAssignments puts what has a configuration first, and of these what runs.
func (r *round) listAssignments(byEntry []*candidate) []engine.Assignment {
	line, assignments := slices.Clone(r.Entries), make([]engine.Assignment, len(r.Entries))
	rank := func(e *engine.Entry) int {
		if c := byEntry[e.Index]; e.IsUnstoppable || c != nil && c.isPlaced() {
			return 0
		}
		return 1
	}
	slices.SortFunc(line, func(a, b *engine.Entry) int { return cmp.Or(rank(a)-rank(b), engine.CompareTenure(a, b)) })
	for i, e := range line {
		if c := byEntry[e.Index]; c != nil {
			assignments[i] = r.assignment(c)
			continue
		}
		assignments[i] = e.AssignmentWithoutLease()
		assignments[i].Grant.HasLease = e.IsUnstoppable
	}
	return assignments
}

func (c *candidate) isPlaced() bool { return c.chosen >= 0 && len(c.alloc) > 0 }

// choose gives each job the configuration, or none, with which the sum of their costs is least.
func (r *round) choose(candidates []*candidate) {
	p := choice.Problem{Items: make([]choice.Item, len(candidates)), TieSeed: uint64(r.Ties)}
	for _, k := range r.kinds {
		p.Capacities = append(p.Capacities, k.capacity)
	}
	for i, c := range candidates {
		p.Items[i].NoneCost = r.Idle
		for _, o := range c.options {
			p.Items[i].Options = append(p.Items[i].Options, choice.Option{Resource: o.kind, Amount: o.devices, Cost: r.tieBrokenCost(c.Job, o)})
		}
	}
	for i, o := range p.Minimize().Chosen {
		candidates[i].chosen = o
	}
}

// Ties of the rounded costs are settled by the part tiePart of the costs without rounding, and
// first of all for the jobs that run: stopping one for another of the same cost gains nothing.
const (
	tiePart      = 1e-4
	presentBonus = 2 * tiePart
)

func (r *round) tieBrokenCost(j *policy.Job, c configuration) float64 {
	rounded, exact := r.cost(j, c)
	if c.isPresent {
		rounded -= presentBonus
	}
	if r.Ties > 0 {
		return rounded
	}
	return rounded + tiePart*exact
}

// assignment says what became of a candidate. One without a configuration runs, or starts on
// the least it needs, only where devices would idle.
func (r *round) assignment(c *candidate) engine.Assignment {
	t := c.AssignmentWithoutLease()
	if !c.isPlaced() {
		switch {
		case c.isOusted:
			t.Grant.StopReason = "they are worth more to the jobs that get them"
		case len(c.options) > 0 && !c.HoldsGPUs():
			t.DeviceCount = c.options[0].devices
		}
		return t
	}
	o := c.options[c.chosen]
	t.DeviceCount, t.Alloc = o.devices, c.alloc
	t.Grant = engine.Grant{HasLease: true, GPUType: r.kinds[o.kind].gpuType}
	if !r.OmitReasons {
		rounded, _ := r.cost(c.Job, o)
		t.Note = fmt.Sprintf("on %d %s its goodput is %.2f times its least, which adds %.2f to a sum that is the least for all jobs", o.devices, r.kinds[o.kind].gpuType, o.goodput, rounded)
	}
	return t
}
