package ledger

import (
	"cmp"
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/slurm"
)

// scontrol top gives a waiting job the highest priority among its owner's by lowering its nice, and
// raises that of the others by equal parts of the step. Where our order is a nice too, it deals out
// numbers of ours. What is the owner's then is the nice that it would have made without them.

// movedNice is a waiting job whose nice somebody changed after us.
type movedNice struct {
	job        *slurm.Job
	last       *bridge.Intent // our last nice in it; nil: none
	wrote, own int64          // the nice as we left it, and what of that was the owner's
	step       int64          // by how much it was changed since
}

// ToppedIntents returns an intent without ID, like InheritedIntents, for every job in whose nice a scontrol top mixed
// ours with its owner's. Its value is the nice that stands, and its Before says how much of that is ours. The intents
// are those that the view leaves (SettleIntents); closed are those of them that are over by it, by ID.
func ToppedIntents(intents []bridge.Intent, v *slurm.View) (topped, closed []bridge.Intent) {
	for _, moved := range movedNices(intents, v) {
		if !moveAlone(moved) {
			continue
		}
		for _, m := range moved {
			topped = append(topped, newToppedIntent(m, &intents[0], v.At))
			if m.last != nil && m.last.State == bridge.IntentAcked {
				over := *m.last
				over.State, over.Closed, over.Error = bridge.IntentYielded, v.At, actuator.ForeignChange(&over, m.job)
				closed = append(closed, over)
			}
		}
	}
	slices.SortFunc(closed, func(a, b bridge.Intent) int { return cmp.Compare(a.ID, b.ID) })
	return topped, closed
}

// newToppedIntent returns what stands in the job's nice since a scontrol top.
func newToppedIntent(m movedNice, like *bridge.Intent, now time.Time) bridge.Intent {
	e := slurm.Edit{Run: m.job.CurrentRun(), Address: m.job.Address(), Kind: slurm.EditNice, Value: m.job.Nice}
	e.Tasks, e.Why = m.job.TaskCount(), "scontrol top mixed a number of ours with its owner's nice"
	in := bridge.Intent{Cluster: like.Cluster, Policy: like.Policy, Edit: e, State: bridge.IntentObserved, Made: now}
	in.Before = actuator.BeforeFromJob(m.job)
	in.Before.OurValue, in.Before.IsTopped = m.job.Nice-m.own, true
	return in
}

// UnprovenTops returns the jobs whose nice looks as if a scontrol top had dealt out numbers of ours, which cannot
// be told from what is their owner's: several were moved at once, or jobs have started since. A nice of 0 orders
// nothing, whatever it was before.
func UnprovenTops(intents []bridge.Intent, v *slurm.View) (ids []int64) {
	byStep := func(a, b movedNice) int { return cmp.Compare(a.step, b.step) }
	for _, moved := range movedNices(intents, v) {
		least, most := slices.MinFunc(moved, byStep).step, slices.MaxFunc(moved, byStep).step
		isForeign := func(m movedNice) bool { return m.job.Nice != 0 && m.job.Nice != m.own }
		isLikeTop := len(moved) > 1 && slices.ContainsFunc(moved, isForeign) &&
			(least < 0 && most > 0 || most-least <= 1) && !moveAlone(moved)
		for i := range moved {
			if isLikeTop && moved[i].job.Nice != 0 {
				ids = append(ids, moved[i].job.ID)
			}
		}
	}
	return ids
}

// noticedNiceSpan is how long after it was seen that somebody changed a nice of ours all are wanted.
const noticedNiceSpan = 5 * time.Minute

// NeedsNices reports whether somebody's change of a nice of ours was seen within five minutes, and the view does not
// show every nice, from which it would be known whether that was a scontrol top.
func NeedsNices(intents []bridge.Intent, v *slurm.View) bool {
	for i := range intents {
		in := &intents[i]
		if in.Edit.Kind == slurm.EditNice && in.State == bridge.IntentYielded && v.At.Sub(in.Closed) < noticedNiceSpan {
			return slices.ContainsFunc(v.Jobs, func(j slurm.Job) bool { return j.IsPending() && !j.IsNiceKnown })
		}
	}
	return false
}

// movedNices returns the jobs whose nice is not as we left it, those together, by ID, of which scontrol top moves
// one ahead of the others. There is a number of ours among those of each group.
func movedNices(intents []bridge.Intent, v *slurm.View) (out [][]movedNice) {
	last := map[int64]*bridge.Intent{}
	for i := range intents {
		if in := &intents[i]; in.Edit.Kind == slurm.EditNice && in.StoodInSlurm() {
			last[in.Edit.Run.Job] = in
		}
	}
	type group struct{ user, account, partition, qos string }
	groups, isUnclear := map[group][]movedNice{}, map[group]bool{}
	for i := range v.Jobs {
		j := &v.Jobs[i]
		if len(last) == 0 || !j.IsPending() || j.IsHeld || len(j.Partitions) != 1 || j.UntrustedReason != "" {
			continue // scontrol top passes such a job
		}
		g, m := group{j.User, j.Account, j.Partitions[0], j.QOS}, movedNice{job: j}
		if in := last[j.ID]; in != nil && IsSameJob(in.Edit.Run, j.CurrentRun()) {
			m.last, m.wrote, m.own = in, in.Edit.Value, in.Before.OwnNice()
			isUnclear[g] = isUnclear[g] || in.State.IsOpen() && in.State != bridge.IntentAcked // that had stood
		}
		isUnclear[g] = isUnclear[g] || !j.IsNiceKnown
		if m.step = j.Nice - m.wrote; m.step != 0 {
			groups[g] = append(groups[g], m)
			isUnclear[g] = isUnclear[g] || j.Priority <= 1 // what it would have without its nice cannot be told
		}
	}
	for g, moved := range groups {
		if !isUnclear[g] && slices.ContainsFunc(moved, func(m movedNice) bool { return m.wrote != m.own }) {
			out = append(out, moved)
		}
	}
	slices.SortFunc(out, func(a, b []movedNice) int { return cmp.Compare(a[0].job.ID, b[0].job.ID) })
	return out
}

// cameLater reports whether the job was submitted after a person's change of another job's nice was seen: its
// own nice is then no part of that change.
func (m *movedNice) cameLater(moved []movedNice) bool {
	return m.last == nil && slices.ContainsFunc(moved, func(o movedNice) bool {
		return o.last != nil && o.last.State == bridge.IntentYielded && m.job.Submit.After(o.last.Closed)
	})
}

// moveAlone makes own what the scontrol top that moved the jobs makes of it where no numbers of ours stand; false where
// that is not what changed: one nice fell, and the others rose by equal parts of that, to the last unit, which no user
// can do otherwise. The first takes the highest priority, and the others give by equal parts what it takes; one that
// would still be level with it is put below.
func moveAlone(moved []movedNice) bool {
	first, sum, others := 0, int64(0), int64(len(moved)-1)
	for i := range moved {
		if sum += moved[i].step; moved[i].step < moved[first].step {
			first = i
		}
	}
	alone := func(i int) int64 { return moved[i].job.Priority + moved[i].job.Nice - moved[i].own }
	part, highest := -moved[first].step/max(others, 1), alone(first)
	for i := range moved {
		rise, isLater := moved[i].step, moved[i].cameLater(moved)
		if sum != 0 || part < 1 || isLater || i != first && rise != part && rise != part+1 {
			return false
		}
		highest = max(highest, alone(i))
	}
	left := highest - alone(first)
	moved[first].own -= left
	for i := range moved {
		if i != first {
			step := max(left/others, alone(i)-highest+1)
			moved[i].own, left, others = moved[i].own+step, left-step, others-1
		}
	}
	return true
}
