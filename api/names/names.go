// Package names has the closed lists of what may be named in a question, and tells slips.
package names

import (
	"fmt"
	"slices"
	"strings"

	"fairbridge/api"
	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
)

// JobStates are Slurm's states of jobs, as squeue takes them, by which the queue may be narrowed.
var JobStates = strings.Fields(`PENDING RUNNING SUSPENDED COMPLETING CONFIGURING REQUEUED REQUEUE_FED REQUEUE_HOLD RESIZING RESV_DEL_HOLD REVOKED SIGNALING SPECIAL_EXIT
	STAGE_OUT STOPPED BOOT_FAIL CANCELLED COMPLETED DEADLINE FAILED NODE_FAIL OUT_OF_MEMORY PREEMPTED TIMEOUT`)

// ChangeStates are the states of changes.
var ChangeStates = func() (list []string) {
	for _, s := range []bridge.IntentState{
		bridge.IntentPlanned, bridge.IntentSent, bridge.IntentAcked, bridge.IntentUnknown, bridge.IntentObserved,
		bridge.IntentFailed, bridge.IntentYielded, bridge.IntentExpired, bridge.IntentVoid,
	} {
		list = append(list, string(s))
	}
	return list
}()

// ChangeKinds are the kinds of changes.
var ChangeKinds = func() (list []string) {
	for i := range slurm.EditForms {
		list = append(list, string(slurm.EditForms[i].Kind))
	}
	return list
}()

// Check says, as api.CodeBadRequest, which of the names is none of those there are, in any case; what is what they
// name. An answer without rows would not tell a slip from nothing there.
func Check(what string, names, known []string) error {
	for _, n := range names {
		if !slices.ContainsFunc(known, func(k string) bool { return strings.EqualFold(k, n) }) {
			return &api.Error{Code: api.CodeBadRequest, Message: fmt.Sprintf("%s: there is no %.40q", what, n), Try: "one of " + strings.Join(known, ", ")}
		}
	}
	return nil
}
