package slurmrun

import (
	"context"
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
	"fairbridge/policy/learn"
	"fairbridge/replica/sim/memstore"
	"fairbridge/replica/workload"
)

// firstReportAfter is how long a job runs before it reports its speed.
const firstReportAfter = time.Minute

// speedReports are the speeds that jobs report of themselves where they run, as with "fairbridge
// progress --rate": those of jobs with a true scaling that are not silent. They say nothing of how
// much is left to do. What was reported is kept as the daemon's database keeps it: by the job, and
// by the jobs of its user and class.
type speedReports struct {
	findJob func(j *slurm.Job) (*workload.Job, func(gpuType string, n, nodes int) float64)
	nodes   []policy.Node

	byRun   map[slurm.Run]bridge.SeenSpeed
	byJob   map[policy.JobID][]bridge.SeenSpeed
	byClass map[userClass][]bridge.SeenSpeed
	now     map[int64]bridge.JobUse // what jobs that run report now
}

// userClass is whose jobs of which class.
type userClass struct{ user, class string }

var _ bridge.JobUseProbes = (*speedReports)(nil)

// newSpeedReports returns what the jobs of the workload report; nil where none does.
func (r *runner) newSpeedReports() *speedReports {
	reports := false
	for i := range r.jobs {
		reports = reports || reportsSpeed(&r.jobs[i])
	}
	if !reports {
		return nil
	}
	return &speedReports{
		findJob: func(j *slurm.Job) (*workload.Job, func(string, int, int) float64) {
			i := r.jobIndexes.find(j.ID, j.ArrayJobID, j.ArrayTaskID)
			return &r.jobs[i], r.specs[i].Speed
		},
		nodes: r.Nodes, byRun: map[slurm.Run]bridge.SeenSpeed{}, byJob: map[policy.JobID][]bridge.SeenSpeed{}, byClass: map[userClass][]bridge.SeenSpeed{},
	}
}

// reportsSpeed reports whether the job tells how fast it is.
func reportsSpeed(j *workload.Job) bool { return j.Scaling != nil && !j.IsSilent }

// Sample implements bridge.Probes: the GPUs themselves are not measured.
func (s *speedReports) Sample(_ context.Context, v *slurm.View) (map[string][]policy.NodeDevices, error) {
	s.now = map[int64]bridge.JobUse{}
	for i := range v.Jobs {
		j := &v.Jobs[i]
		if !j.IsRunning() || v.At.Sub(j.Start) < firstReportAfter {
			continue
		}
		seen, ok := s.byRun[j.CurrentRun()]
		if !ok {
			if seen, ok = s.measure(v, j); !ok {
				continue
			}
			s.keep(j, seen)
		}
		s.now[j.ID] = bridge.JobUse{Speed: &seen}
	}
	return nil, nil
}

// UseByJob implements bridge.JobUseProbes.
func (s *speedReports) UseByJob() map[int64]bridge.JobUse { return s.now }

// measure is the speed of a job where it runs, in steps of which it does one a second on one GPU of
// the type; ok is false where it reports none.
func (s *speedReports) measure(v *slurm.View, j *slurm.Job) (seen bridge.SeenSpeed, ok bool) {
	job, speed := s.findJob(j)
	held := j.HeldDevices(v.Node)
	if !reportsSpeed(job) || len(held) == 0 {
		return seen, false
	}
	devices, nodes := 0, map[string]bool{}
	for _, h := range held {
		devices += h.Count
		nodes[h.Node] = true
	}
	p := policy.SpeedPoint{Type: held[0].Type, Devices: devices}
	if len(nodes) > fewestNodes(s.nodes, p.Type, devices) {
		p.Nodes = len(nodes)
	}
	p.StepsPerSecond = speed(p.Type, devices, len(nodes)) / speed(p.Type, 1, 1)
	return bridge.SeenSpeed{SpeedPoint: p, Count: 1}, p.StepsPerSecond > 0
}

// keep notes the first report of a run.
func (s *speedReports) keep(j *slurm.Job, seen bridge.SeenSpeed) {
	s.byRun[j.CurrentRun()] = seen
	id, class := policy.JobID(j.ID), userClass{j.User, bridge.SpeedClass(j.Directive.Class, j.Name)}
	s.byJob[id] = addSeen(s.byJob[id], seen)
	s.byClass[class] = addSeen(s.byClass[class], seen)
	if counted := bridge.RecurringClass(class.class); counted != "" {
		class.class = counted
		s.byClass[class] = addSeen(s.byClass[class], seen)
	}
}

// addSeen adds a speed to those that were seen; the same one again counts.
func addSeen(all []bridge.SeenSpeed, seen bridge.SeenSpeed) []bridge.SeenSpeed {
	all = slices.Clone(all) // snapshots may hold the old one
	for i := range all {
		if all[i].SpeedPoint == seen.SpeedPoint {
			all[i].Count++
			return all
		}
	}
	return append(all, seen)
}

// speedsOf is what was reported before of a job and its class.
func (s *speedReports) speedsOf(j *policy.Job) bridge.SpeedHistory {
	out := bridge.SpeedHistory{Own: s.byJob[j.ID]}
	out.FindClass(bridge.SpeedClass(j.Class, j.Name), func(class string) []bridge.SeenSpeed { return s.byClass[userClass{j.User, class}] })
	return out
}

// knowingHistory is a store that also predicts run times, and knows what jobs reported of their speed.
type knowingHistory struct {
	*memstore.Store
	predictTimeLeft func(*policy.Job) (left, sigma time.Duration) // nil: nothing is predicted
	predictionTrust func() float64
	speeds          *speedReports // nil: no job reports its speed
}

// Past implements bridge.History.
func (h knowingHistory) Past(ctx context.Context, cluster string, now time.Time) (*bridge.Past, error) {
	past, err := h.Store.Past(ctx, cluster, now)
	if err == nil && h.predictTimeLeft != nil {
		past.PredictTimeLeft, past.PredictionTrust = h.predictTimeLeft, h.predictionTrust()
	}
	if err == nil && h.speeds != nil {
		past.SpeedsOf = h.speeds.speedsOf
	}
	return past, err
}

// newHistory is what the loop knows of the past.
func (r *runner) newHistory() bridge.History {
	h := knowingHistory{Store: r.store, speeds: r.speedReports}
	switch {
	case r.PredictsTruth:
		h.predictTimeLeft = func(j *policy.Job) (left, sigma time.Duration) {
			return max(r.world.TrueTimeLeft(int64(j.ID)), time.Second), 0
		}
		h.predictionTrust = func() float64 { return 1 }
	case r.RunTimes != nil:
		h.predictTimeLeft = func(j *policy.Job) (left, sigma time.Duration) {
			return r.RunTimes.ForecastAt(r.world.Now()).PredictTimeLeft(j)
		}
		h.predictionTrust = func() float64 { return r.RunTimes.ForecastAt(r.world.Now()).PredictionTrust() }
	}
	return h
}

// runTimeTeacher is what the predictor was told of.
type runTimeTeacher struct {
	seenRunCount int                     // ended runs that were looked at
	ranByJob     map[int64]time.Duration // in runs that were not the last, by Slurm's id
}

// teachRunTimes tells the predictor of the jobs that ended since it last did.
func (r *runner) teachRunTimes() {
	t := &r.runTimeTeacher
	if r.RunTimes == nil {
		return
	}
	runs := r.world.EndedRuns()
	for i := range runs[t.seenRunCount:] {
		s := &runs[t.seenRunCount+i]
		ran := t.ranByJob[s.JobID] + s.End.Sub(s.Start)
		if s.EndState == "REQUEUED" || s.EndState == "NODE_FAIL" {
			t.ranByJob[s.JobID] = ran
			continue
		}
		delete(t.ranByJob, s.JobID)
		j := &r.jobs[r.jobIndexes.findEnded(s)]
		r.RunTimes.AddEndedRun(learn.Run{
			Job:   learn.Job{User: s.User, Account: s.Account, Name: s.Name, GPUType: s.GPUType, GPUs: j.GPUs, Limit: j.TimeLimit},
			Start: s.Start, End: s.End, Ran: ran,
		})
	}
	t.seenRunCount = len(runs)
}
