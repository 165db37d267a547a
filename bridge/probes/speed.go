package probes

import (
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/nodeprobe"
	"fairbridge/policy"
)

// speedFromReport returns the speed a job reports, on what it holds; nil where it reports none or
// holds GPUs of several types, whose speed says nothing of either.
func speedFromReport(r *nodeprobe.ProgressReport, j *slurm.Job, v *slurm.View) *bridge.SeenSpeed {
	if r == nil || !(r.Progress.StepsPerSecond.Value > 0) {
		return nil
	}
	held := heldDevices(j, v)
	devices, nodes := 0, map[string]bool{}
	for _, h := range held {
		if h.Type != held[0].Type {
			return nil
		}
		devices += h.Count
		nodes[h.Node] = true
	}
	if devices == 0 {
		return nil
	}
	p := policy.SpeedPoint{Type: held[0].Type, Devices: devices, BatchSize: int(r.Progress.BatchSize.Value), StepsPerSecond: r.Progress.StepsPerSecond.Value}
	if len(nodes) > fewestNodes(v, p.Type, devices) {
		p.Nodes = len(nodes)
	}
	return &bridge.SeenSpeed{SpeedPoint: p, Count: 1}
}

// fewestNodes returns over how few nodes so many GPUs of a type can be spread.
func fewestNodes(v *slurm.View, typ string, devices int) int {
	var counts []int
	for i := range v.Nodes {
		for _, g := range v.Nodes[i].GPUs() {
			if g.Type == typ {
				counts = append(counts, g.Count)
			}
		}
	}
	slices.SortFunc(counts, func(a, b int) int { return b - a })
	for n, c := range counts {
		if devices -= c; devices <= 0 {
			return n + 1
		}
	}
	return len(counts)
}

// batchFromReport returns the batch sizes a job may use, by its report: told only by who tells
// what its owner chose and the most of it. What it does not say of one GPU is bounded by those.
func batchFromReport(r *nodeprobe.ProgressReport) *policy.BatchRange {
	if r == nil {
		return nil
	}
	p := &r.Progress
	initial, most := int(p.InitialBatch.Value), int(p.MaxBatch.Value)
	if initial < 1 || most < initial {
		return nil
	}
	b := &policy.BatchRange{Initial: initial, Max: most, LeastPerDevice: max(int(p.LeastBatchOnGPU.Value), 1), MostPerDevice: int(p.MostBatchOnGPU.Value)}
	if b.MostPerDevice < b.LeastPerDevice {
		b.MostPerDevice = max(most, b.LeastPerDevice)
	}
	if p.GradSqr.Value > 0 && p.GradVar.Known {
		b.GradSqr, b.GradVar = p.GradSqr.Value, p.GradVar.Value
	}
	return b
}

// newSpeedReports returns the reports that were received since each job's last: the same report is
// seen in many samples and counts once. Beside neighbours a job has not the speed of what it holds.
func (p *Probes) newSpeedReports(v *slurm.View, newest map[int64]*nodeprobe.ProgressReport) []bridge.SpeedReport {
	var out []bridge.SpeedReport
	seen := map[int64]time.Time{}
	for i := range v.Jobs {
		j := &v.Jobs[i]
		r := newest[j.ID]
		speed := speedFromReport(r, j, v)
		if speed == nil || len(p.useByJob[j.ID].Shared) > 0 {
			continue
		}
		seen[j.ID] = r.ReceivedAt
		if !r.ReceivedAt.After(p.lastSpeedReportByJob[j.ID]) {
			continue
		}
		out = append(out, bridge.SpeedReport{
			Job: policy.JobID(j.ID), User: j.User, Class: bridge.SpeedClass(j.Directive.Class, j.Name), At: r.ReceivedAt.UTC(), Point: speed.SpeedPoint, Batch: batchFromReport(r), Begin: p.runs.begin(j, r, v.At),
		})
	}
	p.lastSpeedReportByJob = seen
	return out
}
