package diff

import (
	"slices"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// place is a job in the line, with its priority as the order is made from it:
// without its nice, which acts on top of our order as it does on Slurm's.
type place struct {
	dec  policy.Decision
	job  *slurm.Job
	own  int64 // as Slurm alone would have it
	now  int64 // with what we added
	nice int64 // the owner's or an administrator's
	head bool  // within the window
	old  bool  // has waited so long that it must not be lowered
	most int64 // its priority if the highest number of ours stands that may
}

// lowest is the least priority we make: at 1 Slurm's own factors no longer show.
const lowest = 2

// order hands out to each group of the line the priorities that Slurm gave the
// group, in our order, and gives those beyond the window their own back, as far
// as these do not pass the window's.
func (d *differ) order() {
	places := make([]place, 0, len(d.line))
	for _, dec := range d.line {
		if p, ok := d.place(dec); ok {
			p.head = len(places) < d.Order.Window
			places = append(places, p)
		}
	}
	for _, g := range d.groups(places) {
		d.orderGroup(indirect(g))
	}
}

// place reads a job's place. ok is false where a number would do nothing or
// overrule somebody: the job is left to a person, or at the bottom already, or
// below what we added, so that its priority was set directly.
func (d *differ) place(dec policy.Decision) (p place, ok bool) {
	j := d.View.Job(int64(dec.Job))
	p = place{dec: dec, job: j, nice: j.Nice, now: j.Priority}
	p.old = d.Old > 0 && d.Snapshot.Job(dec.Job).Waited(d.View.At) > d.Old
	in := d.Book.Standing(j.Run(), d.Lever.Field(), d.View.At)
	if in != nil && in.Edit.Kind != d.Lever {
		in = nil
	}
	switch d.Lever {
	case slurm.Nice:
		if in != nil {
			p.nice = in.Before.OwnNice()
		}
		p.now += p.nice
		p.own = p.now - number(in)
	case slurm.Priority: // wipes nice
		p.nice, p.own = 0, p.now
		if in != nil {
			p.own = in.Before.Own
		}
	default:
		p.now += p.nice
		p.own = p.now - number(in)
		p.most = p.own + d.Book.Most(j.Run(), slurm.FieldSite, d.View.At)
	}
	return p, j.Priority >= lowest && p.own > 0 && d.Book.Yielded(j.Run(), d.View.At) == nil
}

// number is what an intent adds to a job's priority; nil adds nothing.
func number(in *bridge.Intent) int64 {
	switch {
	case in == nil:
		return 0
	case in.Edit.Kind == slurm.Nice:
		return in.Before.OwnNice() - in.Edit.Value
	}
	return in.Edit.Value
}

// groups splits the line into those that are ordered among themselves: Slurm
// compares no priorities across partition tiers, and across QOS its own order
// stands unless it is to be overridden.
func (d *differ) groups(line []place) [][]place {
	type key struct {
		tier int
		qos  string
	}
	var keys []key
	groups := map[key][]place{}
	for _, p := range line {
		k := key{tier: d.tier(p.job)}
		if d.Order.Strength != bridge.Override {
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
func (d *differ) tier(j *slurm.Job) int {
	tier := 0
	for _, name := range j.Partitions {
		if i := slices.IndexFunc(d.View.Partitions, func(p slurm.Partition) bool { return p.Name == name }); i >= 0 {
			tier = max(tier, d.View.Partitions[i].Tier)
		}
	}
	return tier
}

// orderGroup numbers a group whose places are in the order of the line.
func (d *differ) orderGroup(g []place) {
	n := 0
	for n < len(g) && g[n].head {
		n++
	}
	s := scaleOf(g, n, d.floor())
	ceiling := int64(1) << 62
	if n > 0 && d.Order.Strength != bridge.Blend {
		values := s.renumber(nowOf(g[:n]), d.floor())
		lift(values, g[:n])
		for i, v := range values {
			d.setPriority(&g[i], v, g[i].dec.Why)
		}
		ceiling = values[n-1] - 1
	} else {
		d.blend(g[:n], s)
	}
	for i := range g[n:] {
		p := &g[n+i]
		v := min(p.own, ceiling)
		if p.own > ceiling && (p.old || p.now <= ceiling && p.now >= ceiling-s.slack) {
			v = p.now
		}
		d.setPriority(p, v, "beyond the window of the order: Slurm's own priority, as far as it passes nobody within")
	}
}

// blend moves priorities a fifth of the way to our order.
func (d *differ) blend(g []place, s scale) {
	for i := range g {
		v := g[i].own + (s.want[i]-g[i].own)/5
		if abs(g[i].now-v) > s.slack/5+1 {
			d.setPriority(&g[i], v, g[i].dec.Why)
		}
	}
}

// floor is the least value of the lever.
func (d *differ) floor() int64 {
	if d.Lever == slurm.Priority {
		return slurm.MinPriority
	}
	return lowest
}

// setPriority has the lever give the job the priority v, its nice aside.
func (d *differ) setPriority(p *place, v int64, why string) {
	if v == p.now {
		return
	}
	e := slurm.Edit{Kind: d.Lever, Why: why}
	switch d.Lever {
	case slurm.Priority:
		if in := d.Book.Standing(p.job.Run(), slurm.FieldPriority, d.View.At); v == p.own && in != nil {
			d.giveBack(p.job, in, why)
			return
		}
		e.Value = v
	case slurm.Nice:
		e.Value = p.nice - (max(v, p.nice+lowest) - p.own)
	default:
		e.Value = max(v, p.nice+lowest) - p.own
	}
	if e.Value != d.standing(p) {
		d.add(p.job, e)
	}
}

// standing is the lever's value that stands in the job, ours or not.
func (d *differ) standing(p *place) int64 {
	switch d.Lever {
	case slurm.Nice:
		return p.nice - (p.now - p.own)
	case slurm.SiteFactor:
		return p.now - p.own
	}
	return p.now
}
