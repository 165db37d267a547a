package push

import (
	"context"
	"fmt"
	"slices"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/slurm"
)

// uselessStopReason says why a job must not be stopped, or warned, after all: the other job for which it
// was to be is read again, too, and is not what it was. "": it is, or the edit stops nobody for another.
func (p *Pusher) uselessStopReason(ctx context.Context, in *bridge.Intent) string {
	stop := in.Before.Stop
	if actuator.EditKindRowOf(in.Edit.Kind).StopTiming == actuator.NoStop || stop == nil || stop.Beneficiary == in.Edit.Run.Job {
		return ""
	}
	if other := p.runsOnFor[stop.Beneficiary]; other != 0 {
		return fmt.Sprintf("job %d, which was to be stopped with it for job %d, runs on", other, stop.Beneficiary)
	}
	j, err := p.Cluster.RereadJob(ctx, stop.Beneficiary)
	if err != nil {
		return fmt.Sprintf("reading job %d, for which it was to be, again: %v", stop.Beneficiary, err)
	}
	if why := p.newKnownJob(stop.Beneficiary).compareBeneficiary(&j); why != "" {
		return fmt.Sprintf("job %d, for which it was to be: %s", stop.Beneficiary, why)
	}
	return ""
}

// noteUnstopped notes a stop that was not carried out, so that no other is for the same job: it would not fit.
func (p *Pusher) noteUnstopped(in *bridge.Intent) {
	unsent := []bridge.IntentState{bridge.IntentVoid, bridge.IntentYielded, bridge.IntentFailed}
	isStop := actuator.EditKindRowOf(in.Edit.Kind).StopTiming == actuator.StopsNow && in.Before.Stop != nil
	if isStop && slices.Contains(unsent, in.State) {
		p.runsOnFor[in.Before.Stop.Beneficiary] = in.Edit.Run.Job
	}
}

// compareBeneficiary says what became of a job since the view that another is to be stopped for.
func (k *knownJob) compareBeneficiary(j *slurm.Job) string {
	switch {
	case k.viewedJob == nil || !k.viewedJob.CurrentRun().IsSameRun(j.CurrentRun()):
		return "it is another run now"
	case j.State != k.viewedJob.State:
		return "it is " + j.State + " now"
	case j.IsHeld:
		return "it is held"
	case j.IsPending() && !j.WaitsForItsTurn():
		return fmt.Sprintf("it waits for something else than room now (%s)", j.Reason)
	}
	return k.demandChange(j)
}
