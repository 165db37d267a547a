package actuator

import (
	"slices"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator/numbers"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// place is a job in the line.
type place struct {
	numbers.Place
	why  string // of the decision
	job  *slurm.Job
	in   *bridge.Intent // of the lever whose value stands in it; nil: none
	nice int64          // the owner's or an administrator's
	head bool           // within the window
}

// lever is how one field carries the order.
type lever struct {
	kind  slurm.Kind
	field *Field
	floor int64   // the least priority to make
	back  Undoing // where the field has no value that means Slurm's own order

	// read completes a place whose Now is the priority as it is shown, and whose
	// nice is the job's.
	read func(g *Goal, p *place)
	// value returns the value that gives the place the priority v, its nice aside, and
	// the one that stands there now, ours or not.
	value func(p *place, v int64) (want, stands int64)
}

var (
	bySite = lever{
		kind: slurm.SiteFactor, field: site, floor: numbers.Lowest,
		read: func(g *Goal, p *place) {
			p.Now += p.nice
			if p.Own = p.Now; p.in != nil {
				p.Own -= p.in.Edit.Value
			}
			p.Most = p.Own + g.Book.Most(p.job.Run(), slurm.FieldSite, g.View.At)
		},
		value: func(p *place, v int64) (want, stands int64) {
			return max(v, p.nice+numbers.Lowest) - p.Own, p.Now - p.Own
		},
	}
	byNice = lever{
		kind: slurm.Nice, field: niceBy, floor: numbers.Lowest,
		read: func(_ *Goal, p *place) {
			ours := int64(0)
			if p.in != nil {
				p.nice = p.in.Before.OwnNice()
				ours = p.nice - p.in.Edit.Value
			}
			p.Now += p.nice
			p.Own = p.Now - ours
		},
		value: func(p *place, v int64) (want, stands int64) {
			return p.nice - (max(v, p.nice+numbers.Lowest) - p.Own), p.nice - (p.Now - p.Own)
		},
	}
	byPriority = lever{ // it wipes nice
		kind: slurm.Priority, field: direct, floor: slurm.MinPriority, back: handedBack,
		read: func(_ *Goal, p *place) {
			if p.nice, p.Own = 0, p.Now; p.in != nil {
				p.Own = p.in.Before.Own
			}
		},
		value: func(p *place, v int64) (want, stands int64) { return v, p.Now },
	}
)

// LeverOf returns the kind of edit that carries the order where the view is from.
func LeverOf(wanted bridge.Lever, v *slurm.View) slurm.Kind {
	switch k := slurm.Kind(wanted); {
	case Of(k).Turn == TurnOrder:
		return k
	case v.SiteFactor:
		return slurm.SiteFactor
	}
	return slurm.Nice
}

// order hands out to each group of the line the priorities that Slurm gave the
// group, in our order, and gives those beyond the window their own back, as far
// as these do not pass the window's.
func (l *lever) order(g *Goal) []slurm.Edit {
	if g.Lever != l.kind {
		return nil
	}
	line := g.Line()
	places := make([]place, 0, len(line))
	for i := range line {
		if p, ok := l.place(g, &line[i]); ok {
			p.head = len(places) < g.Order.Window
			places = append(places, p)
		}
	}
	var edits []slurm.Edit
	for _, group := range g.groups(places) {
		edits = l.orderGroup(g, edits, indirect(group))
	}
	return edits
}

// place reads a job's place. ok is false where a number would do nothing or
// overrule somebody: the job is left to a person, or at the bottom already, or
// below what we added, so that its priority was set directly.
func (l *lever) place(g *Goal, dec *policy.Decision) (p place, ok bool) {
	j := g.View.Job(int64(dec.Job))
	p = place{why: dec.Why, job: j, nice: j.Nice, in: g.standing(j, l.field)}
	p.Now, p.Starts = j.Priority, dec.Verb == policy.Start
	p.Old = g.Old > 0 && g.Snapshot.Job(dec.Job).Waited(g.View.At) > g.Old
	if p.in != nil && p.in.Edit.Kind != l.kind {
		p.in = nil
	}
	l.read(g, &p)
	return p, j.Priority >= numbers.Lowest && p.Own > 0 && g.Book.Yielded(j.Run(), g.View.At) == nil
}

// groups splits the line into those that are ordered among themselves: Slurm
// compares no priorities across partition tiers, and across QOS its own order
// stands unless it is to be overridden.
func (g *Goal) groups(line []place) [][]place {
	type key struct {
		tier int
		qos  string
	}
	var keys []key
	groups := map[key][]place{}
	for _, p := range line {
		k := key{tier: g.tier(p.job)}
		if g.Order.Strength != bridge.Override {
			k.qos = p.job.QOS
		}
		if groups[k] == nil {
			keys = append(keys, k)
		}
		groups[k] = append(groups[k], p)
	}
	out := make([][]place, len(keys))
	for i, k := range keys {
		out[i] = groups[k]
	}
	return out
}

// tier returns the highest tier of the job's partitions.
func (g *Goal) tier(j *slurm.Job) int {
	tier := 0
	for _, name := range j.Partitions {
		if i := slices.IndexFunc(g.View.Partitions, func(p slurm.Partition) bool { return p.Name == name }); i >= 0 {
			tier = max(tier, g.View.Partitions[i].Tier)
		}
	}
	return tier
}

// indirect returns the places whose priority Slurm made itself.
func indirect(group []place) []place {
	own := make([]int64, len(group))
	for i := range group {
		own[i] = group[i].Own
	}
	direct := numbers.SetDirectly(own)
	return slices.DeleteFunc(group, func(p place) bool { return p.Own >= direct })
}

// orderGroup appends the edits that number a group whose places are in the order
// of the line.
func (l *lever) orderGroup(g *Goal, edits []slurm.Edit, group []place) []slurm.Edit {
	line, n := make([]numbers.Place, len(group)), 0
	for i := range group {
		if line[i] = group[i].Place; group[i].head {
			n++
		}
	}
	values := numbers.Priorities(line, n, l.floor, g.Order.Strength == bridge.Blend)
	for i, v := range values {
		why := group[i].why
		if i >= n {
			why = "beyond the window of the order: Slurm's own priority, as far as it passes no job within"
		}
		edits = l.setPriority(g, edits, &group[i], v, why)
	}
	return edits
}

// setPriority appends the edit, if one is called for, by which the lever gives the
// job the priority v, its nice aside.
func (l *lever) setPriority(g *Goal, edits []slurm.Edit, p *place, v int64, why string) []slurm.Edit {
	if v == p.Now {
		return edits
	}
	if l.back != nil && p.in != nil && v == p.Own {
		return g.giveBack(edits, l.back, p.in, p.job, why)
	}
	want, stands := l.value(p, v)
	if want == stands {
		return edits
	}
	return append(edits, g.edit(p.job, slurm.Edit{Kind: l.kind, Value: want, Why: why}))
}
