package ledger

import (
	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
)

// CountUnsettledIntents counts the intents whose outcome is still to be seen, those included
// whose job is absent without a proof that it is gone. Hand-backs that wait for a
// person, not for a poll, do not count.
func CountUnsettledIntents(intents []bridge.Intent, v *slurm.View) int {
	n := 0
	for i := range intents {
		in := &intents[i]
		id := in.Edit.Run.Job
		if in.State.IsOpen() || in.State == bridge.IntentObserved && v.Job(id) == nil && !v.IsProvenGone(id) {
			n++
		}
	}
	for _, d := range UnfinishedHandBacks(intents, v) {
		if !d.Ours {
			n--
		}
	}
	return n
}

// NewUndoIntents makes the intents of edits that give values of ours back, to be stored
// by the leader of the epoch.
func NewUndoIntents(book *IntentBook, v *slurm.View, cluster string, epoch int64, edits []slurm.Edit) []bridge.Intent {
	out := make([]bridge.Intent, len(edits))
	for i, e := range edits {
		out[i] = bridge.Intent{
			Cluster: cluster, Epoch: epoch, Policy: "release", Edit: e,
			Before: BeforeOfEdit(book, v.Job(e.Run.Job), e, v.At), State: bridge.IntentPlanned, Made: v.At,
		}
	}
	return out
}
