package cycle

import (
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/gate"
	"fairbridge/bridge/slurm"
)

// spentBudget is what was taken of the budgets that partitions share. It is a value:
// each partition gets what those before it left.
type spentBudget struct {
	editsSpent     int                // what the edits of this cycle take of their budget
	toldCount      int                // edits of this cycle that only tell
	recentStops    []bridge.Stop      // of the last 24 hours
	recentWarnings []gate.SentWarning // of the last 24 hours
	edits          []slurm.Edit       // of this cycle
}

// newSpentBudget is what earlier cycles spent, by the ledger.
func newSpentBudget(intents []bridge.Intent, now time.Time) spentBudget {
	var sum spentBudget
	for i := range intents {
		in := &intents[i]
		if in.State == bridge.IntentVoid || now.Sub(in.Made) >= 24*time.Hour {
			continue
		}
		switch actuator.EditKindRowOf(in.Edit.Kind).StopTiming {
		case actuator.StopsLater:
			sum.recentWarnings = append(sum.recentWarnings, warningFromIntent(in))
		case actuator.StopsNow:
			if in.Before.Stop != nil {
				sum.recentStops = append(sum.recentStops, stopFromIntent(in))
			}
		}
	}
	return sum
}

// withPlannedEdits adds what a partition is about to send.
func (sum spentBudget) withPlannedEdits(e *PartitionResult, now time.Time) spentBudget {
	if !e.MaySendEdits {
		return sum
	}
	sum.edits = slices.Concat(sum.edits, e.Edits)
	sum.recentStops, sum.recentWarnings = slices.Clip(sum.recentStops), slices.Clip(sum.recentWarnings)
	for _, edit := range e.Edits {
		if actuator.EditKindRowOf(edit.Kind).OnlyTells {
			sum.toldCount++
			continue
		}
		sum.editsSpent += actuator.BudgetCost(edit)
		cost := e.stopCost(edit)
		if cost == nil {
			continue
		}
		stop := bridge.Stop{Job: edit.Run.Job, StopCost: *cost, DecidedAt: now}
		if actuator.EditKindRowOf(edit.Kind).StopTiming == actuator.StopsLater {
			sum.recentWarnings = append(sum.recentWarnings, gate.SentWarning{Run: edit.Run, Stop: stop})
		} else {
			sum.recentStops = append(sum.recentStops, stop)
		}
	}
	return sum
}

// stopFromIntent makes the gate's fact of a requeue in the ledger.
func stopFromIntent(in *bridge.Intent) bridge.Stop {
	stop := bridge.Stop{Job: in.Edit.Run.Job, StopCost: *in.Before.Stop, DecidedAt: in.Made}
	if in.State == bridge.IntentAcked || in.State == bridge.IntentObserved || in.State == bridge.IntentExpired {
		stop.SentAt = in.Sent
	}
	return stop
}

// warningFromIntent makes the gate's fact of a warning in the ledger.
func warningFromIntent(in *bridge.Intent) gate.SentWarning {
	w := gate.SentWarning{Run: in.Edit.Run, GraceEnd: in.NotAfter, Stop: bridge.Stop{Job: in.Edit.Run.Job, DecidedAt: in.Made}}
	if s := in.Before.Stop; s != nil {
		w.StopCost = *s
	}
	return w
}

// stopCost returns what a requeue costs, or will after a warning, to be kept with
// the intent; nil for other edits.
func (e *PartitionResult) stopCost(edit slurm.Edit) *bridge.StopCost {
	var stops []bridge.Stop
	switch actuator.EditKindRowOf(edit.Kind).StopTiming {
	case actuator.StopsNow:
		stops = e.Stops
	case actuator.StopsLater:
		for _, w := range e.PlannedWarnings {
			stops = append(stops, w.Stop)
		}
	}
	for _, s := range stops {
		if s.Job == edit.Run.Job {
			s.Signal = edit.Signal
			return &s.StopCost
		}
	}
	return nil
}
