package cycle

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
)

// readDemotions asks which partitions are demoted. While nobody answers, those known last stand:
// a demotion ends by somebody's word, and not by silence.
func (p *Parts) readDemotions(ctx context.Context, c *bridge.Config, m Memory, r *Report) Memory {
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
	for i := range c.Partitions {
		name := c.Partitions[i].Name
		d := bridge.FindDemotion(m.Demotions, name)
		isDemoted := d != nil && c.Partitions[i].Mode.Allows(bridge.ModeRank)
		if p.Metrics.setDemoted(name, isDemoted); isDemoted {
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
	partitions := slices.Clone(configured)
	for i := range partitions {
		p := configured[i]
		if bridge.FindCandidateDemotion(demotions, &p) == nil {
			p = p.DecidedAt(at)
		}
		if d := bridge.FindDemotion(demotions, p.Name); d != nil {
			p = d.Demote(p)
		}
		partitions[i] = p
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

// demotedEdits give back what of ours stands in the jobs of partitions that are demoted, some of
// it each cycle: an order that does harm is to end, and no daemon would write another there.
func demotedEdits(s *cycleState) []slurm.Edit {
	f, c := &s.facts, s.config
	if len(s.demotions) == 0 {
		return nil
	}
	edits := slices.DeleteFunc(ledger.UndoEdits(f.Intents, f.View, f.View.At), func(e slurm.Edit) bool {
		j := f.View.Job(e.Run.Job)
		return !slices.ContainsFunc(s.demotions, func(d bridge.Demotion) bool { return d.Candidate == "" && j.IsInPartition(d.Partition) })
	})
	most := min(c.Budgets.MaxEdits, int(c.Budgets.EditRate*c.Interval.Seconds()/2))
	return edits[:min(len(edits), max(most, 1))]
}
