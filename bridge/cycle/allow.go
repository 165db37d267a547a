package cycle

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"fairbridge/bridge"
	"fairbridge/bridge/ledger"
)

// decideEditAllowance says how many edits may be sent in this cycle, whatever they are, and adds
// whose jobs are left alone.
func (l *Loop) decideEditAllowance(f bridge.Facts, m Memory, r *Report) (bridge.Facts, Memory, editAllowance) {
	switch why := f.View.UnprovenClusterReason; { // it is not known which cluster it is
	case why != "" && anyPartitionAllows(l.Partitions, bridge.ModeRank):
		r.addDoubt(bridge.CauseUnnamedCluster, errors.New(why))
	case why != "": // nothing could be sent to it
		r.addWarning(bridge.CauseUnnamedCluster, errors.New(why))
	}
	doubtful := len(r.Doubts) > 0
	people := ledger.NewContestedEdits(f.Intents, f.View)
	rewrites := newRewriteBreaker(f.Intents, l.Now())
	f.LeftAloneReasonByUser = people.LeftAloneReasonByUser()
	maps.Copy(f.LeftAloneReasonByUser, rewrites.leftAloneReasonByUser())
	if err := leftAloneError(f.LeftAloneReasonByUser); err != nil {
		r.addWarning(bridge.CauseForeignChanges, err)
	}
	f.LeftAloneByJob = ledger.LeftAloneByJob(m.OperatorActions, f.View)
	f.OtherOrderReasonByJob = l.findOtherOrder(f, r)
	addTellingWarnings(&l.Config, f, r)
	breaker := newEffectBreaker(f.Intents, f.View.At)
	allowed, err := breaker.allowance(f.View.At)
	if err != nil {
		r.addDoubt(bridge.CauseNoEffect, err)
	}
	if err := people.CheckManyContested(); err != nil {
		r.addDoubt(bridge.CauseForeignChanges, err)
		allowed = noEdits
	}
	if err := m.checkDatabaseRestored(l.Now()); err != nil {
		r.addDoubt(bridge.CauseHistory, err)
		m.GoodViews = 0
	}
	allowed = rewrites.addRewrites(r, allowed)
	if err := m.checkStopped(l.StopFile, l.StopSwitch); err != nil {
		r.addDoubt(bridge.CauseStopFile, err)
		allowed = noEdits
	}
	if doubtful || m.GoodViews <= l.WarmupPolls {
		allowed = noEdits
	}
	return f, m, allowed
}

// findOtherOrder returns the jobs that something else orders, counts them and, when they are
// several, tells of them.
func (l *Loop) findOtherOrder(f bridge.Facts, r *Report) map[int64]string {
	reasons := ledger.OtherOrderReasonByJob(f.Intents, f.View)
	l.Metrics.otherOrderJobs.Set(float64(len(reasons)))
	if err := ledger.CheckOtherOrder(reasons); err != nil {
		r.addWarning(bridge.CauseOtherOrder, err)
	}
	return reasons
}

// withheldReasons says why not all edits may be sent in this cycle, whatever they are: what
// was doubtful when the allowance was decided, and that the loop warms up.
func (l *Loop) withheldReasons(m Memory, doubts []bridge.Doubt, allowed editAllowance) []string {
	if allowed == allEdits {
		return nil
	}
	var reasons []string
	for _, d := range doubts {
		reasons = append(reasons, d.Err.Error())
	}
	if m.GoodViews <= l.WarmupPolls {
		reasons = append(reasons, fmt.Sprintf("the daemon warms up: this was good poll %d in a row, and changes are sent from poll %d on", m.GoodViews, l.WarmupPolls+1))
	}
	return reasons
}

// anyPartitionAllows reports whether a partition's mode includes need.
func anyPartitionAllows(partitions []bridge.Partition, need bridge.Mode) bool {
	return slices.ContainsFunc(partitions, func(p bridge.Partition) bool { return p.Mode.Allows(need) })
}

// leftAloneError says whose jobs are left alone, and why; nil when none are.
func leftAloneError(left map[string]string) error {
	if len(left) == 0 {
		return nil
	}
	var why []string
	for _, who := range slices.Sorted(maps.Keys(left)) {
		why = append(why, left[who])
	}
	return fmt.Errorf("their jobs are left alone until an hour after: %s", strings.Join(why, "; "))
}
