package actuator

import (
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// linePlace is a job in the line.
type linePlace struct {
	numberedPlace
	reason         string // of the decision
	job            *slurm.Job
	standingIntent *bridge.Intent // of the lever whose value stands in it; nil: none
	ownerNice      int64          // the owner's or an administrator's
	isInWindow     bool           // within the window
	isPressedDown  bool           // at the bottom, by a number of ours
}

// orderLever is how one field carries the order.
type orderLever struct {
	editKind       slurm.EditKind
	field          *FieldRow
	lowestPriority int64    // the least priority to make
	undo           UndoFunc // where the field has no value that means Slurm's own order

	// fillPriorities completes a place whose CurrentPriority is the priority as it is
	// shown, and whose ownerNice is the job's.
	fillPriorities func(g *PartitionGoal, p *linePlace)
	// valueForPriority returns the value that gives the place the priority v, its nice aside, and
	// the one that stands there now, ours or not.
	valueForPriority func(p *linePlace, v int64) (want, stands int64)
}

var (
	siteFactorLever = orderLever{
		editKind: slurm.EditSiteFactor, field: siteFactorField, lowestPriority: lowestPriority,
		fillPriorities: func(g *PartitionGoal, p *linePlace) {
			p.CurrentPriority += p.ownerNice
			ours := int64(0)
			if p.standingIntent != nil {
				ours = p.standingIntent.Edit.Value
			}
			p.fillSlurmPriority(ours)
			p.HighestPossiblePriority = p.SlurmPriority + g.IntentBook.HighestPossibleValue(p.job.CurrentRun(), slurm.FieldSiteFactor, g.View.At)
		},
		valueForPriority: func(p *linePlace, v int64) (want, stands int64) {
			return max(v, p.ownerNice+lowestPriority) - p.SlurmPriority, p.CurrentPriority - p.SlurmPriority
		},
	}
	niceLever = orderLever{
		editKind: slurm.EditNice, field: niceField, lowestPriority: lowestPriority,
		fillPriorities: func(_ *PartitionGoal, p *linePlace) {
			ours := int64(0)
			if p.standingIntent != nil {
				p.ownerNice = p.standingIntent.Before.OwnNice()
				ours = p.ownerNice - p.standingIntent.Edit.Value
			}
			p.CurrentPriority += p.ownerNice
			p.fillSlurmPriority(ours)
		},
		valueForPriority: func(p *linePlace, v int64) (want, stands int64) {
			return p.ownerNice - (max(v, p.ownerNice+lowestPriority) - p.SlurmPriority), p.ownerNice - (p.CurrentPriority - p.SlurmPriority)
		},
	}
	priorityLever = orderLever{ // it wipes nice
		editKind: slurm.EditPriority, field: priorityField, lowestPriority: slurm.MinPriority, undo: undoPriority,
		fillPriorities: func(_ *PartitionGoal, p *linePlace) {
			if p.ownerNice, p.SlurmPriority = 0, p.CurrentPriority; p.standingIntent != nil {
				p.SlurmPriority = p.standingIntent.Before.SlurmPriority
			}
		},
		valueForPriority: func(p *linePlace, v int64) (want, stands int64) { return v, p.CurrentPriority },
	}
)

// fillSlurmPriority works out what the place would have without ours, which adds to it. At the
// bottom Slurm's own factors no longer show: they may come to anything up to what ours took away,
// and are taken for what they were when ours was written, where that is less.
func (p *linePlace) fillSlurmPriority(ours int64) {
	p.SlurmPriority = p.CurrentPriority - ours
	p.isPressedDown = ours < 0 && p.job.Priority > 0 && p.job.Priority < lowestPriority
	if p.isPressedDown {
		p.SlurmPriority = min(p.SlurmPriority, max(priorityBeforeOurs(p.standingIntent), lowestPriority))
	}
}

// priorityBeforeOurs is the job's priority right before the intent, without nice and numbers of ours.
func priorityBeforeOurs(in *bridge.Intent) int64 {
	b := &in.Before
	if in.Edit.Kind == slurm.EditNice {
		return b.Priority + b.Nice
	}
	return b.Priority + b.Nice - b.OurValue
}

// ChooseOrderEditKind returns the kind of edit that carries the order where the view is from.
func ChooseOrderEditKind(wanted bridge.Lever, v *slurm.View) slurm.EditKind {
	switch k := slurm.EditKind(wanted); {
	case EditKindRowOf(k).SendPhase == PhaseOrder:
		return k
	case v.CanWriteSiteFactor:
		return slurm.EditSiteFactor
	}
	return slurm.EditNice
}

// wantedOrderEdits hands out to each group of the line the priorities that Slurm gave the
// group, in our order, and gives those beyond the window their own back, as far
// as these do not pass the window's.
func (l *orderLever) wantedOrderEdits(g *PartitionGoal) []slurm.Edit {
	if g.OrderEditKind != l.editKind {
		return nil
	}
	line := g.PendingDecisionsInOrder()
	places := make([]linePlace, 0, len(line))
	for i := range line {
		if p, ok := l.placeForDecision(g, &line[i]); ok {
			p.isInWindow = len(places) < g.OrderConfig.Window
			places = append(places, p)
		}
	}
	var edits []slurm.Edit
	for _, group := range g.orderGroups(places) {
		edits = l.appendGroupEdits(g, edits, multifactorPlaces(group))
	}
	return edits
}

// placeForDecision returns a job's place. ok is false where a number would do nothing or
// overrule somebody: the job is left to a person, or at the bottom and not by a number of ours, or
// below what we added, so that its priority was set directly. A job that a number of ours presses to
// the bottom is ordered on: Slurm's own part of its priority fell after that was written, as it does by
// thousands where Fair Tree ranks accounts anew.
func (l *orderLever) placeForDecision(g *PartitionGoal, dec *policy.Decision) (p linePlace, ok bool) {
	j := g.View.Job(int64(dec.Job))
	p = linePlace{reason: dec.Why, job: j, ownerNice: j.Nice, standingIntent: g.standingIntent(j, l.field)}
	p.CurrentPriority, p.StartsNow = j.Priority, dec.Verb == policy.Start
	p.IsLongWaiting = g.MaxLowerableWait > 0 && g.Snapshot.Job(dec.Job).Waited(g.View.At) > g.MaxLowerableWait
	if p.standingIntent != nil && p.standingIntent.Edit.Kind != l.editKind {
		p.standingIntent = nil
	}
	l.fillPriorities(g, &p)
	return p, (j.Priority >= lowestPriority || p.isPressedDown) && p.SlurmPriority > 0 && g.IntentBook.YieldedIntent(j.CurrentRun(), g.View.At) == nil
}

// orderGroups splits the line into those that are ordered among themselves: Slurm
// compares no priorities across partition tiers, and across QOS its own order
// stands unless it is to be overridden.
func (g *PartitionGoal) orderGroups(line []linePlace) [][]linePlace {
	type key struct {
		tier int
		qos  string
	}
	var keys []key
	groups := map[key][]linePlace{}
	for _, p := range line {
		k := key{tier: g.View.HighestTier(p.job)}
		if g.OrderConfig.Strength != bridge.StrengthOverride {
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

// multifactorPlaces returns the places whose priority Slurm made itself.
func multifactorPlaces(group []linePlace) []linePlace {
	own := make([]int64, len(group))
	for i := range group {
		own[i] = group[i].SlurmPriority
	}
	direct := directPriorityThreshold(own)
	return slices.DeleteFunc(group, func(p linePlace) bool { return p.SlurmPriority >= direct })
}

// appendGroupEdits appends the edits that number a group whose places are in the order
// of the line.
func (l *orderLever) appendGroupEdits(g *PartitionGoal, edits []slurm.Edit, group []linePlace) []slurm.Edit {
	line, n := make([]numberedPlace, len(group)), 0
	for i := range group {
		if line[i] = group[i].numberedPlace; group[i].isInWindow {
			n++
		}
	}
	values := assignPriorities(line, n, l.lowestPriority, g.OrderConfig.Strength == bridge.StrengthBlend)
	for i, v := range values {
		why := group[i].reason
		if i >= n {
			why = "beyond the window of the order: Slurm's own priority, as far as it passes no job within"
		}
		edits = l.appendPriorityEdit(g, edits, &group[i], v, why)
	}
	return edits
}

// appendPriorityEdit appends the edit, if one is called for, by which the lever gives the
// job the priority v, its nice aside.
func (l *orderLever) appendPriorityEdit(g *PartitionGoal, edits []slurm.Edit, p *linePlace, v int64, why string) []slurm.Edit {
	again := l.isValueInDoubt(g, p) || isUndone(g, p)
	if v == p.CurrentPriority && !again {
		return edits
	}
	if l.undo != nil && p.standingIntent != nil && v == p.SlurmPriority {
		return g.appendUndoEdit(edits, l.undo, p.standingIntent, p.job, why)
	}
	want, stands := l.valueForPriority(p, v)
	if want == stands && !again {
		return edits
	}
	return append(edits, g.editForJob(p.job, slurm.Edit{Kind: l.editKind, Value: want, Why: why}))
}

// isValueInDoubt reports whether slurmctld was started since the place's value was sent, which
// nothing shows, and the priority does not tell that it still stands: slurmctld may have been
// started with an older state.
func (l *orderLever) isValueInDoubt(g *PartitionGoal, p *linePlace) bool {
	in := p.standingIntent
	if in == nil || l.field.ValueOwnerOf(in, p.job) != OwnerHidden || !in.LastTouched().Before(g.View.ControllerStart) {
		return false
	}
	step, got := expectedPriorityChange(in), p.job.Priority-in.Before.Priority
	return max(got-step, step-got) > max(step, -step)/2
}

// undoneRepeat is how long after one number the same is written again at most once: where Slurm never lowers a
// priority (PriorityFlags=INCR_ONLY), it never follows. Slurm computes all priorities anew in this time, by default.
const undoneRepeat = 5 * time.Minute

// isUndone reports whether a number of ours stands in the job and backfill has put its priority back to the one
// before. Any update has Slurm compute it anew, one with the same number too.
func isUndone(g *PartitionGoal, p *linePlace) bool {
	in := p.standingIntent
	if in == nil || !p.job.IsPriorityUndone {
		return false
	}
	return expectedPriorityChange(in) != 0 || g.View.At.Sub(in.LastTouched()) > undoneRepeat
}
