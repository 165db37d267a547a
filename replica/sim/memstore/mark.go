package memstore

import (
	"fmt"
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
)

// stateOrder are the states an intent passes before it is closed, in their order.
var stateOrder = []bridge.IntentState{bridge.IntentPlanned, bridge.IntentSent, bridge.IntentUnknown, bridge.IntentAcked, bridge.IntentObserved}

// stateRank returns how far the state is; all that close an intent come last.
func stateRank(s bridge.IntentState) int {
	if i := slices.Index(stateOrder, s); i >= 0 {
		return i
	}
	return len(stateOrder)
}

func isFinalState(s bridge.IntentState) bool { return stateRank(s) == len(stateOrder) }

// isAllowedTransition reports whether an intent may go from one state to another: on, to where it
// is, or back to be sent again for want of an answer.
func isAllowedTransition(was, is bridge.IntentState) bool {
	if isFinalState(was) {
		return was == is
	}
	return stateRank(was) <= stateRank(is) || was == bridge.IntentUnknown && is == bridge.IntentSent
}

// markIntent stores what came of an intent; fence is asked for the leave to send.
func (j *journal) markIntent(in *bridge.Intent, now time.Time, fence func(epoch int64) error) error {
	was := j.findIntent(in.ID)
	if was == nil {
		return fmt.Errorf("%w: it is not in the ledger", bridge.ErrConflict)
	}
	if !isAllowedTransition(was.State, in.State) {
		return fmt.Errorf("%w: it is %s", bridge.ErrClosedIntent, was.State)
	}
	if in.State == bridge.IntentSent {
		if err := fence(was.Epoch); err != nil {
			return err
		}
	}
	if was.Edit.Kind == slurm.EditRequeue {
		j.noteRequeue(was, in)
	}
	switch in.State {
	case bridge.IntentSent, bridge.IntentUnknown, bridge.IntentAcked:
		was.Before = in.Before
	}
	was.State, was.Error, was.Polls, was.Sent = in.State, in.Error, in.Polls, in.Sent
	was.Edit.Until, was.NotAfter = in.Edit.Until, in.NotAfter
	if was.Closed = in.Closed; !isFinalState(in.State) {
		was.Closed = time.Time{}
	} else if was.Closed.IsZero() {
		was.Closed = now
	}
	if !in.State.IsOpen() {
		if f := was.Edit.WrittenField(); j.openIntentByField[f] == was.ID {
			delete(j.openIntentByField, f)
		}
	}
	return nil
}

// ownRequeue is one of ours that reached, or may have reached, Slurm.
type ownRequeue struct {
	intentID    int64
	madeAt      time.Time
	sentAt      time.Time
	hadEffect   bool // it had an effect
	hadNoEffect bool // it had none
}

// noteRequeue notes what becomes of a requeue.
func (j *journal) noteRequeue(was, is *bridge.Intent) {
	list := j.requeuesByJob[was.Edit.Run.Job]
	i := slices.IndexFunc(list, func(r ownRequeue) bool { return r.intentID == was.ID })
	if i < 0 {
		i = len(list)
		list = append(list, ownRequeue{intentID: was.ID, madeAt: was.Made})
	}
	r := &list[i]
	r.sentAt, r.hadEffect = is.Sent, r.hadEffect || is.State == bridge.IntentObserved
	r.hadNoEffect = !r.hadEffect && (is.State == bridge.IntentPlanned || !is.State.IsOpen())
	j.requeuesByJob[was.Edit.Run.Job] = list
}

// requeueTimes returns when a job was requeued by us since it arrived.
func (j *journal) requeueTimes(job int64, arrive time.Time) []time.Time {
	var out []time.Time
	for _, r := range j.requeuesByJob[job] {
		if r.hadNoEffect || r.madeAt.Before(arrive) {
			continue
		}
		at := r.sentAt
		if at.IsZero() {
			at = r.madeAt
		}
		out = append(out, at)
	}
	return out
}
