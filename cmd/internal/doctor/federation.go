package doctor

import (
	"context"
	"strings"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/rest"
	"fairbridge/bridge/slurm/scontrol"
)

// checkFederation says what a federation keeps us from. Where scontrol cannot be asked the
// jobs tell whether there is one.
func checkFederation(ctx context.Context, command []string, v *slurm.View) Report {
	name, siblings, err := scontrol.Command(command).ReadFederation(ctx)
	count := 0
	for i := range v.Jobs {
		if v.Jobs[i].FederationOrigin != "" {
			count++
		}
	}
	api, _ := rest.APIFromName(v.APIVersion)
	r := newFederationReport(name, siblings, count, api.ReadsJobLocally)
	if err != nil && count == 0 {
		r.addFinding("federation", LevelSkip, "install slurm-client here, or set slurm.scontrol", "%v", err)
	}
	return r
}

// newFederationReport says what is done in a federation of that name, "" when only its jobs
// are known.
func newFederationReport(name string, siblings []string, jobCount int, readsJobLocally bool) (r Report) {
	if name == "" && jobCount == 0 {
		return nil
	}
	const fix = "to have them scheduled take the cluster out: sacctmgr modify federation NAME set clusters-=CLUSTER"
	r.addFinding("federation", LevelWarn, fix, "this cluster is in a federation: jobs submitted in it (%d now) are left alone, fairbridge only shows them", jobCount)
	if len(siblings) > 0 && !readsJobLocally {
		r.addFinding("federation", LevelFail, "take the cluster out of the federation, then run fairbridge release", "slurmrestd of this release cannot read a single job while there are siblings (%s): nothing is pushed, and nothing of ours can be given back", strings.Join(siblings, ", "))
	}
	return r
}
