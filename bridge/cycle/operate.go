package cycle

import (
	"context"
	"errors"
	"fmt"

	"fairbridge/bridge"
	"fairbridge/bridge/push"
)

// readOperatorActions asks what operators did that stands. While nobody answers, what was known last
// stands: an action ends by somebody's word or by its time, and not by silence.
func (p *Parts) readOperatorActions(ctx context.Context, cluster string, m Memory, r *Report) Memory {
	if p.OperatorActions == nil {
		return m
	}
	before := p.StopSwitch.Setting()
	list, err := p.OperatorActions.StandingActions(ctx, cluster)
	switch {
	case err == nil:
		m.OperatorActions, m.AreOperatorActionsKnown = list, true
		if stop := bridge.FindStop(list); stop != nil {
			p.StopSwitch.Stop(stop.ID) // for all that writes, hand-backs that were cut off too
		} else {
			p.StopSwitch.Clear(before)
		}
	case m.AreOperatorActionsKnown:
		r.addWarning(bridge.CauseOperatorActions, fmt.Errorf("those known last stand: %w", err))
	default: // since the daemon leads
		r.addDoubt(bridge.CauseOperatorActions, err)
	}
	return m
}

// checkStopped says why nothing at all is sent until a person ends that: a STOP file, or an operator's stop.
func (m Memory) checkStopped(stopFile string, atOnce *push.StopSwitch) error {
	if push.StopFileExists(stopFile) {
		return fmt.Errorf("%s exists: remove it to let pushing go on", stopFile)
	}
	if stop := bridge.FindStop(m.OperatorActions); stop != nil {
		return errors.New(stop.Text())
	}
	return atOnce.Check()
}
