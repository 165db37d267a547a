package actions

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"fairbridge/accounting/operations"
	"fairbridge/api"
	"fairbridge/bridge"
	"fairbridge/bridge/push"
)

// proposal is what a request would do.
type proposal struct {
	action operations.RecordedAction
	ends   []int64       // standing actions that end by it
	isOver bool          // nothing of it stands once it was done
	lasts  time.Duration // how long it stands where the request does not say; 0: until somebody ends it
	effect string
	state  string // what it was told from: where that changes, it must be told again
}

// newAction is the proposal as it is answered.
func (p *proposal) newAction(v *api.Viewer, r api.ActionRequest) *api.Action {
	return &api.Action{ActionRequest: r, Effect: p.effect, By: v.User, Origin: v.Origin}
}

// propose says what a request would do now.
func (s *Service) propose(ctx context.Context, r *api.ActionRequest) (*proposal, error) {
	p := &proposal{action: operations.RecordedAction{OperatorAction: bridge.OperatorAction{Kind: bridge.OperatorActionKind(r.Kind), Change: r.Change}}}
	standing, err := s.Record.StandingActions(ctx, s.Config.ClusterName)
	if err != nil {
		return nil, err
	}
	switch r.Kind {
	case api.ActionStop:
		err = s.proposeStop(p, r, standing)
	case api.ActionResume:
		err = s.proposeResume(p, r, standing)
	case api.ActionMode:
		err = s.proposeMode(ctx, p, r)
	default:
		err = s.proposeLeavingAlone(ctx, p, r, standing)
	}
	p.state = fmt.Sprint(p.state, p.ends, p.isOver)
	return p, err
}

func (s *Service) proposeStop(p *proposal, r *api.ActionRequest, standing []bridge.OperatorAction) error {
	if stop := bridge.FindStop(standing); stop != nil {
		return conflict("resume ends that", "%s is %s", s.Config.ClusterName, stop.Text())
	}
	p.effect = fmt.Sprintf("No daemon sends anything to Slurm any more on cluster %s, not even to give back, until somebody resumes%s. What of ours stands in jobs stays; leases run out.",
		s.Config.ClusterName, untilText(r.Until))
	return nil
}

func untilText(until time.Time) string {
	if until.IsZero() {
		return ""
	}
	return " or " + bridge.FormatUTC(until)
}

func (s *Service) proposeResume(p *proposal, r *api.ActionRequest, standing []bridge.OperatorAction) error {
	p.isOver = true
	if r.Job != "" {
		return proposeCaringAgain(p, r, standing)
	}
	var texts []string
	for i := range standing {
		if a := &standing[i]; a.Kind == bridge.OperatorStop {
			p.ends, texts = append(p.ends, a.ID), append(texts, fmt.Sprintf("by %s since %s", a.By, bridge.FormatUTC(a.At)))
		}
	}
	stopFile := s.stopFileText()
	if len(texts) == 0 {
		try := "list shows what stands"
		if stopFile != "" {
			try = stopFile
		}
		return conflict(try, "no operator stopped cluster %s", s.Config.ClusterName)
	}
	p.effect = fmt.Sprintf("The stop ends (%s): what is planned is sent to Slurm again.", strings.Join(texts, "; "))
	if stopFile != "" {
		p.effect += " But nothing is sent yet: " + stopFile + "."
	}
	return nil
}

// stopFileText says that the STOP file exists, which no action ends; "" where it does not.
func (s *Service) stopFileText() string {
	if _, err := os.Stat(s.Config.StopFile); err != nil || !push.StopFileExists(s.Config.StopFile) {
		return ""
	}
	return "the STOP file " + s.Config.StopFile + " exists on this host, and stops writing until it is removed"
}

// proposeCaringAgain ends that a job is left alone.
func proposeCaringAgain(p *proposal, r *api.ActionRequest, standing []bridge.OperatorAction) error {
	target, err := parseTarget(r.Job)
	if err != nil {
		return err
	}
	for i := range standing {
		if a := &standing[i]; a.LeavesAlone() && isSameTarget(&a.Jobs, &target) {
			p.ends, p.action.Jobs = append(p.ends, a.ID), a.Jobs
		}
	}
	if len(p.ends) == 0 {
		return newNotLeftAlone(&target, standing)
	}
	p.effect = fmt.Sprintf("Job %s is not left alone any more: it is planned for and changed like others from the next cycle on.", target.Address)
	return nil
}

// newNotLeftAlone says that a job is not left alone by its own address, and by which it is: a task that waited
// in one record with others was left alone with its whole array.
func newNotLeftAlone(target *bridge.JobTarget, standing []bridge.OperatorAction) error {
	told := &api.Error{Code: api.CodeNotFound, Message: "no operator left job " + target.Address + " alone", Try: "the list of actions shows what stands, by the addresses that were given then"}
	var addresses []string
	for i := range standing {
		if a := &standing[i]; a.LeavesAlone() && a.Jobs.Job == target.Job && !slices.Contains(addresses, a.Jobs.Address) {
			addresses = append(addresses, a.Jobs.Address)
		}
	}
	if len(addresses) > 0 {
		told.Message += " by this address: left alone is " + strings.Join(addresses, ", ")
		told.Try = "resume " + addresses[0]
	}
	return told
}

func isSameTarget(a, b *bridge.JobTarget) bool {
	return a.Address == b.Address || a.Job == b.Job && a.IsTask == b.IsTask && a.Task == b.Task
}
