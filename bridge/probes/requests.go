package probes

import (
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/nodeprobe"
	"fairbridge/policy"
)

// requestsFromReport returns how many requests a job reports; nil where it tells none.
func requestsFromReport(r *nodeprobe.ProgressReport) *bridge.RequestCount {
	if r == nil || !r.Progress.Requests.Known {
		return nil
	}
	return &bridge.RequestCount{At: r.ReceivedAt.UTC(), Count: r.Progress.Requests.Value}
}

// newRequestReports returns the reports of replicas that were received since each job's last: the same report is seen in
// many samples and counts once.
func (p *Probes) newRequestReports(v *slurm.View, newest map[int64]*nodeprobe.ProgressReport) []bridge.RequestReport {
	var out []bridge.RequestReport
	seen := map[int64]time.Time{}
	for i := range v.Jobs {
		j := &v.Jobs[i]
		count := requestsFromReport(newest[j.ID])
		if count == nil || j.Directive.Service == "" {
			continue
		}
		if seen[j.ID] = count.At; count.At.After(p.lastRequestReportByJob[j.ID]) {
			out = append(out, bridge.RequestReport{Job: policy.JobID(j.ID), Account: j.Account, User: j.User, Service: j.Directive.Service, RequestCount: *count})
		}
	}
	p.lastRequestReportByJob = seen
	return out
}
