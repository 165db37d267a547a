package slurm_test

import (
	"testing"

	"fairbridge/bridge/slurm"
)

// TestWaitsForItsTurn: of all reasons, these say no more than that others are ahead or that there is no room. A
// word that is not known keeps the job back.
func TestWaitsForItsTurn(t *testing.T) {
	for reason, want := range map[string]bool{
		"": true, "None": true, "Priority": true, "Resources": true, "BeginTime": true,
		"MaxGRESPerAccount": false, "AssocGrpGRES": false, "QOSMaxGRESPerUser": false, "ReqNodeNotAvail": false,
		"MaxPoweredUpNodes": false, "MpiPortsBusy": false, "JobHeldUser": false, "AWordOfTomorrow": false,
	} {
		j := slurm.Job{State: "PENDING", Reason: reason}
		if j.WaitsForItsTurn() != want || j.WaitsForAnEnd() == want {
			t.Errorf("%q: %v, waits for an end %v", reason, j.WaitsForItsTurn(), j.WaitsForAnEnd())
		}
		if kept := !want && reason != "ReqNodeNotAvail"; j.IsKeptBack() != kept {
			t.Errorf("%q: kept back %v", reason, j.IsKeptBack())
		}
	}
}
