package probes

import (
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/nodeprobe"
	"fairbridge/policy"
)

// maxReportAge is how long a report of progress counts.
const maxReportAge = time.Hour

// jobTotals adds up what was seen of a job.
type jobTotals struct {
	gpuCount, unmeasuredCount int
	busySum                   float64
}

// sumUseByJob sums what was seen by job, and adds what the jobs reported. A job is
// known when as many GPUs of its were seen as it holds.
func sumUseByJob(v *slurm.View, seen []Reading, uses map[policy.JobID][]bridge.DeviceUse, newest map[int64]*nodeprobe.ProgressReport) map[int64]bridge.JobUse {
	sums := map[policy.JobID]*jobTotals{}
	for i := range seen {
		s := &seen[i]
		if s.Job == 0 {
			continue
		}
		t := sums[s.Job]
		if t == nil {
			t = &jobTotals{}
			sums[s.Job] = t
		}
		t.gpuCount++
		t.busySum += s.Busy.Value
		if !s.Busy.Known || s.JobsOnGPU > 1 {
			t.unmeasuredCount++
		}
	}
	out := map[int64]bridge.JobUse{}
	for i := range v.Jobs {
		j := &v.Jobs[i]
		t, r := sums[policy.JobID(j.ID)], newest[j.ID]
		if t == nil && r == nil || !j.IsRunning() {
			continue
		}
		out[j.ID] = bridge.JobUse{MeanBusy: t.meanBusy(j.GPUCount()), Progress: shareDone(r), Training: trainingFromReport(r), Speed: speedFromReport(r, j, v), Batch: batchFromReport(r), Loss: lossFromReport(r), Requests: requestsFromReport(r), OnGPUs: uses[policy.JobID(j.ID)]}
	}
	return out
}

// meanBusy is known when every GPU the job holds was seen, and is its own.
func (t *jobTotals) meanBusy(of int) policy.OptionalValue {
	if t == nil || t.unmeasuredCount > 0 || t.gpuCount != of || of == 0 {
		return policy.OptionalValue{}
	}
	return policy.KnownValue(t.busySum / float64(t.gpuCount))
}

// newestReportByJob returns the newest report of each running job that is of this run
// and by its owner.
func newestReportByJob(v *slurm.View, reports []nodeprobe.ProgressReport) map[int64]*nodeprobe.ProgressReport {
	jobs := map[int64]*slurm.Job{}
	bySLUID := map[string]*slurm.Job{}
	for i := range v.Jobs {
		if j := &v.Jobs[i]; j.IsRunning() {
			jobs[j.ID], bySLUID[j.SLUID] = j, j
		}
	}
	out := map[int64]*nodeprobe.ProgressReport{}
	for i := range reports {
		r := &reports[i]
		j := jobs[r.Job]
		if j == nil && r.SLUID != "" {
			j = bySLUID[r.SLUID]
		}
		if j == nil || !isReportUsable(r, j, v.At) {
			continue
		}
		if old := out[j.ID]; old == nil || r.AgeSeconds < old.AgeSeconds {
			out[j.ID] = r
		}
	}
	return out
}

func isReportUsable(r *nodeprobe.ProgressReport, j *slurm.Job, now time.Time) bool {
	age := time.Duration(r.AgeSeconds * float64(time.Second))
	switch {
	case age < 0 || age > maxReportAge || now.Add(-age).Before(j.Start):
		return false // of an earlier run
	case r.UID != 0 && j.UserID > 0 && int64(r.UID) != j.UserID:
		return false
	case r.SLUID != "" && j.SLUID != "" && r.SLUID != j.SLUID:
		return false
	}
	return r.Progress.Check() == nil
}

func shareDone(r *nodeprobe.ProgressReport) policy.OptionalValue {
	if r == nil {
		return policy.OptionalValue{}
	}
	return policy.OptionalValue(r.Progress.ShareDone())
}

// trainingFromReport is told only by who tells all of it: steps done, in all, and their
// rate.
func trainingFromReport(r *nodeprobe.ProgressReport) *policy.Training {
	if r == nil || !r.Progress.Step.Known || !r.Progress.TotalSteps.Known || !r.Progress.StepsPerSecond.Known || r.Progress.StepsPerSecond.Value <= 0 {
		return nil
	}
	d := &r.Progress
	return &policy.Training{
		Steps: d.TotalSteps.Value, StepsDone: min(d.Step.Value+d.StepsPerSecond.Value*r.AgeSeconds, d.TotalSteps.Value), BatchSize: int(d.BatchSize.Value),
		Rates: []policy.Rate{{StepsPerSecond: d.StepsPerSecond.Value}}, Epochs: int(d.TotalEpochs.Value), EpochsDone: int(d.Epoch.Value),
	}
}

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
