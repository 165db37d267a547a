package actions

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"fairbridge/api"
	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// proposeMode lowers the mode of a partition, or lets it be the configured one again.
func (s *Service) proposeMode(ctx context.Context, p *proposal, r *api.ActionRequest) error {
	configured, err := s.findPartition(r.Partition)
	if err != nil {
		return err
	}
	active, err := s.Demotions.ActiveDemotions(ctx, s.Config.ClusterName)
	if err != nil {
		return err
	}
	now := configured.Mode
	var others []string
	for i := range active {
		switch d := &active[i]; {
		case d.Partition != r.Partition || d.Candidate != "":
		case d.Action != 0:
			p.ends = append(p.ends, d.Action)
			now = lowerMode(now, d.LeftMode())
		default:
			others = append(others, d.Text())
		}
	}
	p.action.Partition, p.action.Mode = r.Partition, r.Mode
	switch {
	case !r.Mode.Allows(configured.Mode):
		p.effect = fmt.Sprintf("Partition %s goes from mode %s to mode %s (configured: %s)%s.%s", r.Partition, now, r.Mode, configured.Mode, lastingText(r), s.givenBackText(ctx, r.Partition, r.Mode))
	case configured.Mode != r.Mode:
		return badRequest("mode: %s is above %s, in which partition %s is configured: only the configuration raises a mode", r.Mode, configured.Mode, r.Partition)
	case len(p.ends) == 0:
		return conflict("guard clear ends what the guard demoted", "no operator lowered partition %s: mode %s is the configured one", r.Partition, r.Mode)
	case !r.Until.IsZero():
		return badRequest("until means nothing with the configured mode: the lowering ends")
	default:
		p.isOver = true
		p.effect = fmt.Sprintf("Partition %s goes from mode %s back to mode %s, the configured one.", r.Partition, now, r.Mode)
	}
	if len(others) > 0 {
		p.effect += " The lowest counts, and this stands besides: " + strings.Join(others, " ")
	}
	p.state = fmt.Sprint(now, configured.Mode, others)
	return nil
}

func lastingText(r *api.ActionRequest) string {
	if r.Until.IsZero() {
		return ", until somebody asks for the configured mode"
	}
	return ", until " + bridge.FormatUTC(r.Until)
}

func lowerMode(a, b bridge.Mode) bridge.Mode {
	if a.Allows(b) {
		return b
	}
	return a
}

// findPartition returns a partition that we look after, in a mode that can be lowered.
func (s *Service) findPartition(name string) (*bridge.Partition, error) {
	var names []string
	for i := range s.Config.Partitions {
		p := &s.Config.Partitions[i]
		if names = append(names, p.Name); p.Name != name {
			continue
		}
		if !p.Mode.Allows(bridge.ModeRank) {
			return nil, conflict("", "partition %s is configured in mode %s: nothing is sent for it, and there is nothing to lower", name, p.Mode)
		}
		return p, nil
	}
	return nil, &api.Error{Code: api.CodeNotFound, Message: fmt.Sprintf("partition %q is not one of those that fairbridge looks after", limited(name)), Try: "these are: " + strings.Join(names, ", ")}
}

// givenBackText says how many values of ours the mode would not allow. What Slurm cannot be asked for now is no
// reason not to lower a mode.
func (s *Service) givenBackText(ctx context.Context, partition string, mode bridge.Mode) string {
	x, err := s.look(ctx)
	if err != nil {
		return " What of ours the lower mode does not allow is given back; how much that is could not be told now."
	}
	edits := slices.DeleteFunc(ledger.UndoEdits(x.intents, x.view, x.view.At), func(e slurm.Edit) bool {
		in := x.book.StandingIntent(e.Run, e.Kind.Field(), x.view.At)
		return !x.view.Job(e.Run.Job).IsInPartition(partition) || in != nil && mode.Allows(actuator.EditKindRowOf(in.Edit.Kind).NeededMode)
	})
	if len(edits) == 0 {
		return " Nothing of ours stands that it would not allow."
	}
	return fmt.Sprintf(" %s of ours that it does not allow is given back in the next cycles.", policy.FormatCount(len(edits), "value"))
}
