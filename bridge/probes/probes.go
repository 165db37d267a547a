package probes

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/idle"
	"fairbridge/bridge/slurm"
	"fairbridge/nodeprobe"
	"fairbridge/policy"
)

// Puller asks the probes at the addresses, by node name. What answered is
// returned even when the error names nodes that did not.
type Puller interface {
	PullSamples(context.Context, map[string]string) (map[string]nodeprobe.Sample, error)
}

// Probes asks the probes of a cluster's GPU nodes. It is not safe for
// concurrent use.
type Probes struct {
	// OnNewReadings is given what every new sample shows; nil: it is dropped.
	OnNewReadings func([]Reading)
	// OnNewSpeeds is given what jobs report of their speed, each report once; nil: it is dropped.
	OnNewSpeeds func([]bridge.SpeedReport)
	// OnNewLosses is given what jobs report of their training loss, each report once; nil: it is dropped.
	OnNewLosses func([]bridge.LossReport)
	// OnNewRequests is given what replicas report of their requests, each report once; nil: it is dropped.
	OnNewRequests func([]bridge.RequestReport)
	// OnNewProfiles is given what new samples show of jobs' use of their GPUs; nil: it is dropped.
	OnNewProfiles func([]bridge.ProfileReport)
	// TrustProgressReports has jobs' reports of their progress count. Policies that order by
	// remaining time then depend on what jobs say of themselves.
	TrustProgressReports bool

	useByJob               map[int64]bridge.JobUse
	newestSampleTimeByNode map[string]time.Time // when each node's last sample that was kept was taken
	lastSpeedReportByJob   map[int64]time.Time  // when the last report of a speed was received
	runs                   runWatch
	looks                  neighbourLooks
	idle                   idle.Watch
	lastLossReportByJob    map[int64]time.Time // likewise of a loss
	lastRequestReportByJob map[int64]time.Time // likewise of requests
	samplePuller           Puller
	addressTemplate        string
	maxSampleAge           time.Duration
	now                    func() time.Time
}

// New returns the probes reached at the template, such as
// "http://{node}:9810" or "unix:/run/probes/{node}.sock", where {node} becomes
// a node's name. A sample older than maxSampleAge is not used.
func New(client Puller, template string, maxAge time.Duration, now func() time.Time) *Probes {
	return &Probes{samplePuller: client, addressTemplate: template, maxSampleAge: maxAge, now: now, newestSampleTimeByNode: map[string]time.Time{}}
}

// Sample returns the measured devices of the view's GPU nodes that are up, by
// node. The error joins the nodes without a usable sample; the others are
// returned all the same.
func (p *Probes) Sample(ctx context.Context, v *slurm.View) (map[string][]policy.NodeDevices, error) {
	addresses, configured := p.upGPUNodes(v)
	samples, err := p.samplePuller.PullSamples(ctx, addresses)
	errs := []error{err}
	out := make(map[string][]policy.NodeDevices, len(samples))
	in := jobsByNode(v)
	var seen, fresh []Reading
	var reports []nodeprobe.ProgressReport
	for _, name := range slices.Sorted(maps.Keys(samples)) {
		s := samples[name]
		reports = append(reports, s.ProgressReports...)
		if err := p.checkSample(&s); err != nil {
			errs = append(errs, fmt.Errorf("probe of node %s: %w", name, err))
			continue
		}
		out[name] = devicesByType(configured[name], s.GPUs)
		on := readingsOfNode(name, &s, configured[name], in[name])
		seen = append(seen, on...)
		if !s.At.Equal(p.newestSampleTimeByNode[name]) {
			p.newestSampleTimeByNode[name] = s.At
			fresh = append(fresh, on...)
		}
	}
	newestOfAll := newestReportByJob(v, reports)
	newest := newestOfAll
	if !p.TrustProgressReports {
		newest = nil
	}
	p.runs.look(v, newest)
	uses := usesByJob(seen)
	p.looks = p.looks.look(v, fresh, uses, newest)
	p.useByJob = sumUseByJob(v, seen, uses, newest)
	p.addLooks()
	p.watchIdle(v, seen, newestOfAll)
	p.tellNew(v, newest, fresh)
	return out, errors.Join(errs...)
}

// tellNew gives what is new to those who keep it.
func (p *Probes) tellNew(v *slurm.View, newest map[int64]*nodeprobe.ProgressReport, fresh []Reading) {
	if speeds := p.newSpeedReports(v, newest); p.OnNewSpeeds != nil && len(speeds) > 0 {
		p.OnNewSpeeds(speeds)
	}
	if losses := p.newLossReports(v, newest); p.OnNewLosses != nil && len(losses) > 0 {
		p.OnNewLosses(losses)
	}
	if requests := p.newRequestReports(v, newest); p.OnNewRequests != nil && len(requests) > 0 {
		p.OnNewRequests(requests)
	}
	if profiles := newProfileReports(v, fresh); p.OnNewProfiles != nil && len(profiles) > 0 {
		p.OnNewProfiles(profiles)
	}
	if p.OnNewReadings != nil && len(fresh) > 0 {
		p.OnNewReadings(fresh)
	}
}

// upGPUNodes returns the GPU nodes that are up: where their probes are, and the GPUs
// Slurm has configured there.
func (p *Probes) upGPUNodes(v *slurm.View) (addresses map[string]string, configured map[string][]slurm.GRES) {
	addresses, configured = map[string]string{}, map[string][]slurm.GRES{}
	for i := range v.Nodes {
		n := &v.Nodes[i]
		if gpus := n.GPUs(); len(gpus) > 0 && isNodeUp(n) {
			addresses[n.Name] = strings.ReplaceAll(p.addressTemplate, "{node}", n.Name)
			configured[n.Name] = gpus
		}
	}
	return addresses, configured
}

// UseByJob returns what the last Sample showed of running jobs.
func (p *Probes) UseByJob() map[int64]bridge.JobUse { return p.useByJob }

// checkSample reports why a sample must not be used. Its age is taken by the
// probe's steady clock and by ours, so that neither a replayed reply nor a
// wrong clock passes old data as new.
func (p *Probes) checkSample(s *nodeprobe.Sample) error {
	if s.At.IsZero() {
		return fmt.Errorf("it has measured nothing: %s", reasonOrUnknown(s.Error))
	}
	if age := time.Duration(s.AgeSeconds * float64(time.Second)); age > p.maxSampleAge || age < 0 {
		return fmt.Errorf("its last sample is %v old: %s", age.Round(time.Second), reasonOrUnknown(s.Error))
	}
	if off := p.now().Sub(s.At); off.Abs() > p.maxSampleAge {
		return fmt.Errorf("its sample is of %s, %v from our clock: set the clocks by NTP", s.At.UTC().Format(time.RFC3339), off.Round(time.Second))
	}
	return nil
}

func reasonOrUnknown(why string) string {
	if why == "" {
		return "it does not say why"
	}
	return why
}

// isNodeUp reports whether a node's daemons can be expected to answer. Drained nodes
// count: their jobs run on.
func isNodeUp(n *slurm.Node) bool {
	switch n.State {
	case "IDLE", "MIXED", "ALLOCATED":
	default:
		return false
	}
	return !slices.ContainsFunc(n.Flags, func(f string) bool { return unreachableNodeFlags[f] })
}

var unreachableNodeFlags = map[string]bool{
	"NOT_RESPONDING": true, "POWERED_DOWN": true, "POWERING_DOWN": true, "POWERING_UP": true, "REBOOT_ISSUED": true,
}

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
