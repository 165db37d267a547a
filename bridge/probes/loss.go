package probes

import (
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/nodeprobe"
	"fairbridge/policy"
)

// lossFromReport returns the loss that a job reports after so many steps; nil where it tells none,
// or not after which step.
func lossFromReport(r *nodeprobe.ProgressReport) *policy.LossPoint {
	if r == nil || !r.Progress.Loss.Known || !r.Progress.Step.Known {
		return nil
	}
	return &policy.LossPoint{Step: r.Progress.Step.Value, Loss: r.Progress.Loss.Value}
}

// newLossReports returns the reports of losses that were received since each job's last: the same
// report is seen in many samples and counts once.
func (p *Probes) newLossReports(v *slurm.View, newest map[int64]*nodeprobe.ProgressReport) []bridge.LossReport {
	var out []bridge.LossReport
	seen := map[int64]time.Time{}
	for i := range v.Jobs {
		j := &v.Jobs[i]
		r := newest[j.ID]
		point := lossFromReport(r)
		if point == nil {
			continue
		}
		if seen[j.ID] = r.ReceivedAt; r.ReceivedAt.After(p.lastLossReportByJob[j.ID]) {
			out = append(out, bridge.LossReport{Job: policy.JobID(j.ID), User: j.User, At: r.ReceivedAt.UTC(), Point: *point, TotalSteps: r.Progress.TotalSteps.Value})
		}
	}
	p.lastLossReportByJob = seen
	return out
}
