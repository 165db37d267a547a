package cycle

import (
	"errors"
	"fmt"
	"slices"

	"fairbridge/bridge"
	"fairbridge/bridge/push"
)

// allow says how many edits may be sent in this cycle, whatever they are, and adds
// whose jobs are left alone.
func (l *Loop) allow(f bridge.Facts, m Memory, r *Report) (bridge.Facts, Memory, allowance) {
	switch why := f.View.UnprovenClusterReason; { // it is not known which cluster it is
	case why != "" && anyAllows(l.Partitions, bridge.ModeRank):
		r.doubt(bridge.CauseUnnamedCluster, errors.New(why))
	case why != "": // nothing could be sent to it
		r.warn(bridge.CauseUnnamedCluster, errors.New(why))
	}
	doubtful := len(r.Doubts) > 0
	people := contestedEditsOf(f.Intents, f.View)
	f.LeftAloneReasonByUser = people.leftAlone()
	if err := leftAloneError(f.LeftAloneReasonByUser); err != nil {
		r.warn(bridge.CauseForeignChanges, err)
	}
	breaker := effectBreakerOf(f.Intents, f.View.At)
	allowed, err := breaker.allowance(f.View.At)
	if err != nil {
		r.doubt(bridge.CauseNoEffect, err)
	}
	if err := people.checkSite(); err != nil {
		r.doubt(bridge.CauseForeignChanges, err)
		allowed = noEdit
	}
	if err := m.checkPutBack(l.Now()); err != nil {
		r.doubt(bridge.CauseHistory, err)
		m.GoodViews = 0
	}
	if push.StopFileExists(l.StopFile) {
		r.doubt(bridge.CauseStopFile, fmt.Errorf("%s exists: remove it to let pushing go on", l.StopFile))
		allowed = noEdit
	}
	if doubtful || m.GoodViews <= l.WarmupPolls {
		allowed = noEdit
	}
	return f, m, allowed
}

// anyAllows reports whether a partition's mode includes need.
func anyAllows(partitions []bridge.Partition, need bridge.Mode) bool {
	return slices.ContainsFunc(partitions, func(p bridge.Partition) bool { return p.Mode.Allows(need) })
}
