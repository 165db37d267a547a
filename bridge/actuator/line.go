package actuator

import (
	"slices"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator/numbers"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// linePlace is a job in the line.
type linePlace struct {
	numbers.Place
	why            string // of the decision
	job            *slurm.Job
	standingIntent *bridge.Intent // of the lever whose value stands in it; nil: none
	nice           int64          // the owner's or an administrator's
	isInWindow     bool           // within the window
}

// orderLever is how one field carries the order.
type orderLever struct {
	kind           slurm.EditKind
	field          *FieldRow
	lowestPriority int64    // the least priority to make
	undo           UndoFunc // where the field has no value that means Slurm's own order

	// read completes a place whose Now is the priority as it is shown, and whose
	// nice is the job's.
	readPlace func(g *Goal, p *linePlace)
	// valueFor returns the value that gives the place the priority v, its nice aside, and
	// the one that stands there now, ours or not.
	valueFor func(p *linePlace, v int64) (want, stands int64)
}

var (
	siteLever = orderLever{
		kind: slurm.EditSiteFactor, field: siteField, lowestPriority: numbers.LowestPriority,
		readPlace: func(g *Goal, p *linePlace) {
			p.CurrentPriority += p.nice
			if p.OwnPriority = p.CurrentPriority; p.standingIntent != nil {
				p.OwnPriority -= p.standingIntent.Edit.Value
			}
			p.HighestPriority = p.OwnPriority + g.Book.HighestValue(p.job.CurrentRun(), slurm.FieldSiteFactor, g.View.At)
		},
		valueFor: func(p *linePlace, v int64) (want, stands int64) {
			return max(v, p.nice+numbers.LowestPriority) - p.OwnPriority, p.CurrentPriority - p.OwnPriority
		},
	}
	niceLever = orderLever{
		kind: slurm.EditNice, field: niceField, lowestPriority: numbers.LowestPriority,
		readPlace: func(_ *Goal, p *linePlace) {
			ours := int64(0)
			if p.standingIntent != nil {
				p.nice = p.standingIntent.Before.OwnNice()
				ours = p.nice - p.standingIntent.Edit.Value
			}
			p.CurrentPriority += p.nice
			p.OwnPriority = p.CurrentPriority - ours
		},
		valueFor: func(p *linePlace, v int64) (want, stands int64) {
			return p.nice - (max(v, p.nice+numbers.LowestPriority) - p.OwnPriority), p.nice - (p.CurrentPriority - p.OwnPriority)
		},
	}
	priorityLever = orderLever{ // it wipes nice
		kind: slurm.EditPriority, field: priorityField, lowestPriority: slurm.MinPriority, undo: undoPriority,
		readPlace: func(_ *Goal, p *linePlace) {
			if p.nice, p.OwnPriority = 0, p.CurrentPriority; p.standingIntent != nil {
				p.OwnPriority = p.standingIntent.Before.SlurmPriority
			}
		},
		valueFor: func(p *linePlace, v int64) (want, stands int64) { return v, p.CurrentPriority },
	}
)

// ChooseLever returns the kind of edit that carries the order where the view is from.
func ChooseLever(wanted bridge.Lever, v *slurm.View) slurm.EditKind {
	switch k := slurm.EditKind(wanted); {
	case KindRowOf(k).Turn == TurnOrder:
		return k
	case v.CanWriteSiteFactor:
		return slurm.EditSiteFactor
	}
	return slurm.EditNice
}

// wantedOrderEdits hands out to each group of the line the priorities that Slurm gave the
// group, in our order, and gives those beyond the window their own back, as far
// as these do not pass the window's.
func (l *orderLever) wantedOrderEdits(g *Goal) []slurm.Edit {
	if g.Lever != l.kind {
		return nil
	}
	line := g.DecisionsInOrder()
	places := make([]linePlace, 0, len(line))
	for i := range line {
		if p, ok := l.placeOf(g, &line[i]); ok {
			p.isInWindow = len(places) < g.Order.Window
			places = append(places, p)
		}
	}
	var edits []slurm.Edit
	for _, group := range g.orderGroups(places) {
		edits = l.appendGroupEdits(g, edits, multifactorPlaces(group))
	}
	return edits
}

// placeOf reads a job's place. ok is false where a number would do nothing or
// overrule somebody: the job is left to a person, or at the bottom already, or
// below what we added, so that its priority was set directly.
func (l *orderLever) placeOf(g *Goal, dec *policy.Decision) (p linePlace, ok bool) {
	j := g.View.Job(int64(dec.Job))
	p = linePlace{why: dec.Why, job: j, nice: j.Nice, standingIntent: g.standingIntent(j, l.field)}
	p.CurrentPriority, p.StartsNow = j.Priority, dec.Verb == policy.Start
	p.IsLongWaiting = g.LongWait > 0 && g.Snapshot.Job(dec.Job).Waited(g.View.At) > g.LongWait
	if p.standingIntent != nil && p.standingIntent.Edit.Kind != l.kind {
		p.standingIntent = nil
	}
	l.readPlace(g, &p)
	return p, j.Priority >= numbers.LowestPriority && p.OwnPriority > 0 && g.Book.YieldedIntent(j.CurrentRun(), g.View.At) == nil
}

// orderGroups splits the line into those that are ordered among themselves: Slurm
// compares no priorities across partition tiers, and across QOS its own order
// stands unless it is to be overridden.
func (g *Goal) orderGroups(line []linePlace) [][]linePlace {
	type key struct {
		tier int
		qos  string
	}
	var keys []key
	groups := map[key][]linePlace{}
	for _, p := range line {
		k := key{tier: g.highestTier(p.job)}
		if g.Order.Strength != bridge.StrengthOverride {
			k.qos = p.job.QOS
		}
		if groups[k] == nil {
			keys = append(keys, k)
		}
		groups[k] = append(groups[k], p)
	}
	out := make([][]linePlace, len(keys))
	for i, k := range keys {
		out[i] = groups[k]
	}
	return out
}

// highestTier returns the highest tier of the job's partitions.
func (g *Goal) highestTier(j *slurm.Job) int {
	tier := 0
	for _, name := range j.Partitions {
		if i := slices.IndexFunc(g.View.Partitions, func(p slurm.Partition) bool { return p.Name == name }); i >= 0 {
			tier = max(tier, g.View.Partitions[i].PriorityTier)
		}
	}
	return tier
}

// multifactorPlaces returns the places whose priority Slurm made itself.
func multifactorPlaces(group []linePlace) []linePlace {
	own := make([]int64, len(group))
	for i := range group {
		own[i] = group[i].OwnPriority
	}
	direct := numbers.DirectThreshold(own)
	return slices.DeleteFunc(group, func(p linePlace) bool { return p.OwnPriority >= direct })
}

// appendGroupEdits appends the edits that number a group whose places are in the order
// of the line.
func (l *orderLever) appendGroupEdits(g *Goal, edits []slurm.Edit, group []linePlace) []slurm.Edit {
	line, n := make([]numbers.Place, len(group)), 0
	for i := range group {
		if line[i] = group[i].Place; group[i].isInWindow {
			n++
		}
	}
	values := numbers.Priorities(line, n, l.lowestPriority, g.Order.Strength == bridge.StrengthBlend)
	for i, v := range values {
		why := group[i].why
		if i >= n {
			why = "beyond the window of the order: Slurm's own priority, as far as it passes no job within"
		}
		edits = l.appendPriorityEdit(g, edits, &group[i], v, why)
	}
	return edits
}

// appendPriorityEdit appends the edit, if one is called for, by which the lever gives the
// job the priority v, its nice aside.
func (l *orderLever) appendPriorityEdit(g *Goal, edits []slurm.Edit, p *linePlace, v int64, why string) []slurm.Edit {
	if v == p.CurrentPriority {
		return edits
	}
	if l.undo != nil && p.standingIntent != nil && v == p.OwnPriority {
		return g.appendUndo(edits, l.undo, p.standingIntent, p.job, why)
	}
	want, stands := l.valueFor(p, v)
	if want == stands {
		return edits
	}
	return append(edits, g.editForJob(p.job, slurm.Edit{Kind: l.kind, Value: want, Why: why}))
}
