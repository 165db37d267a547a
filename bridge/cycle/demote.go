package cycle

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/gate"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
)

// readDemotions asks which partitions are demoted, and what else operators did. While nobody answers, those known last stand:
// a demotion ends by somebody's word, and not by silence.
func (p *Parts) readDemotions(ctx context.Context, c *bridge.Config, m Memory, r *Report) Memory {
	m = p.readOperatorActions(ctx, c.ClusterName, m, r)
	if p.Demotions == nil {
		return m
	}
	list, err := p.Demotions.ActiveDemotions(ctx, c.ClusterName)
	switch {
	case err == nil:
		m.Demotions, m.AreDemotionsKnown = list, true
	case m.AreDemotionsKnown:
		r.addWarning(bridge.CauseDemotions, fmt.Errorf("those known last stand: %w", err))
	default: // since the daemon started
		r.addDoubt(bridge.CauseDemotions, err)
	}
	for kind, n := range bridge.CountStanding(m.OperatorActions, m.Demotions) {
		p.Metrics.operatorActions.WithLabelValues(string(kind)).Set(float64(n))
	}
	for i := range c.Partitions {
		name := c.Partitions[i].Name
		d := bridge.FindDemotion(m.Demotions, name)
		isLowered := d != nil && d.Lowers(&c.Partitions[i])
		if p.Metrics.setDemoted(name, isLowered && d.LeftMode() == bridge.ModeObserve); isLowered {
			r.addWarning(bridge.DemotionCause(name), errors.New(d.Text()))
		}
		own := &c.Partitions[i]
		if d := bridge.FindCandidateDemotion(m.Demotions, own); d != nil && own.Mode.Allows(bridge.ModeRank) && len(own.Canary.NextDays(name, p.Now(), 1)) > 0 {
			r.addWarning(bridge.CandidateDemotionCause(name), errors.New(d.Text()))
		}
	}
	return m
}

// decidedPartitions returns the configured partitions as they are decided about at a moment: with
// their own policy or their canary's, unless that is demoted, and those that are demoted themselves
// in the mode that is left to them.
func decidedPartitions(configured []bridge.Partition, demotions []bridge.Demotion, at time.Time) []bridge.Partition {
	partitions := make([]bridge.Partition, len(configured))
	for i := range configured {
		partitions[i] = configured[i].DecidedUnder(demotions, at)
	}
	return partitions
}

// demotionReasons says why nothing is sent for the partition, if it is because it is demoted.
func (s *cycleState) demotionReasons(p *bridge.Partition) []string {
	d := bridge.FindDemotion(s.demotions, p.Name)
	if d == nil || p.Mode != bridge.ModeObserve || p.PlanAs == "" {
		return nil
	}
	return []string{d.Text()}
}

// unwantedEdits give back what of ours stands in the jobs of partitions that are demoted to mode observe, and what
// operators want given back, and sizes and node lists in jobs that are left alone, some of it each cycle: an order that does harm is to end, and no daemon would write
// another there. What a partition in a lower mode may not have but that, its plan gives back.
func unwantedEdits(s *cycleState) []slurm.Edit {
	f, c, brief := &s.facts, s.config, s.book.BriefValuesLeftAlone(s.facts.View, s.gateInput.ModeByPartition)
	if len(s.demotions) == 0 && len(s.operatorActions) == 0 && len(brief) == 0 {
		return nil
	}
	isWish := ledger.NewOperatorWish(s.operatorActions, f.Intents, f.View)
	edits := slices.DeleteFunc(ledger.UndoEdits(f.Intents, f.View, f.View.At), func(e slurm.Edit) bool {
		return !isWish(e) && !brief[e.WrittenField()] && !s.isJobDemoted(f.View.Job(e.Run.Job))
	})
	return edits[:min(len(edits), max(gate.EditBudget(&c.Budgets, f.View, c.Interval)/2, 1))]
}

// isJobDemoted reports whether one of the job's partitions is demoted to mode observe.
func (s *cycleState) isJobDemoted(j *slurm.Job) bool {
	return slices.ContainsFunc(s.demotions, func(d bridge.Demotion) bool {
		return d.Candidate == "" && d.LeftMode() == bridge.ModeObserve && j.IsInPartition(d.Partition)
	})
}
