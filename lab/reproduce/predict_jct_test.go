package reproduce

import (
	"maps"
	"slices"
	"testing"
	"time"

	"fairbridge/lab/exact"
	"fairbridge/lab/generate"
	"fairbridge/policy"
	"fairbridge/policy/learn"
	"fairbridge/replica/forecast"
	"fairbridge/replica/workload"
)

type (
	foresight func(*policy.Job) (left, sigma time.Duration)
	watcher   = func(*policy.Snapshot, *policy.Plan)
)

// AddEndedRun and PredictTimeLeft implement forecast.RunTimePredictor.
func (f foresight) AddEndedRun(learn.Run) {}

// PredictionTrust implements it too.
func (f foresight) PredictionTrust() float64 { return 1 }

// ForecastAt implements it too.
func (f foresight) ForecastAt(time.Time) policy.Forecast { return f }

func (f foresight) PredictTimeLeft(j *policy.Job) (left, sigma time.Duration) {
	return f(j)
}

// pupil is a model that learns from the jobs that end in a simulation, and that
// is asked anew about the others every hour.
type pupil struct {
	*learn.Model
	jobs  map[policy.JobID]*workload.Job
	here  map[policy.JobID]time.Time // first starts of jobs that run
	dists map[policy.JobID]*learn.RunTimeDist
	hour  time.Time
}

func newPupil(m *learn.Model, jobs []workload.Job) *pupil {
	p := &pupil{m, map[policy.JobID]*workload.Job{}, map[policy.JobID]time.Time{}, map[policy.JobID]*learn.RunTimeDist{}, time.Time{}}
	for i := range jobs {
		p.jobs[policy.JobID(jobs[i].ID)] = &jobs[i]
	}
	return p
}

// watch looks for jobs that ended since it last did, an hour ago.
func (p *pupil) watch(s *policy.Snapshot, _ *policy.Plan) {
	if s.Now.Sub(p.hour) < time.Hour {
		return
	}
	p.hour = s.Now
	clear(p.dists)
	was := p.here
	p.here = map[policy.JobID]time.Time{}
	for i := range s.Jobs {
		p.here[s.Jobs[i].ID] = s.Jobs[i].FirstStart
		delete(was, s.Jobs[i].ID)
	}
	for _, id := range slices.Sorted(maps.Keys(was)) {
		r := learntRun(p.jobs[id])
		r.Start, r.End = was[id], s.Now
		p.AddRun(&r)
	}
}

// left is the prediction for a job.
func (p *pupil) left(j *policy.Job) (time.Duration, time.Duration) {
	d := p.dists[j.ID]
	if d == nil {
		job := learn.JobFromPolicy(j)
		d = p.RunTimeDistOf(&job)
		p.dists[j.ID] = d
	}
	return d.MedianLeft(j.TotalRunTime())
}

// byOracle knows.
func byOracle(jobs []workload.Job) foresight {
	lasts := map[policy.JobID]float64{}
	for i := range jobs {
		lasts[policy.JobID(jobs[i].ID)] = jobs[i].Duration
	}
	return func(j *policy.Job) (time.Duration, time.Duration) {
		return max(policy.DurationFromSeconds(lasts[j.ID])-j.TotalRunTime(), time.Second), 0
	}
}

// later are the last n of jobs sorted by arrival, from time zero, silent.
func later(jobs []workload.Job, n int) []workload.Job {
	out := make([]workload.Job, n)
	copy(out, jobs[len(jobs)-n:])
	for i := range out {
		out[i].Arrive -= jobs[len(jobs)-n].Arrive
		out[i].IsSilent = true
	}
	return out
}

// completion runs the jobs three times and returns the average completion times
// in seconds: with what their limits and attained service tell, with the model's
// predictions, which learns on, and with true remaining times.
func completion(t *testing.T, by string, nodes int, jobs []workload.Job, m *learn.Model) (without, model, oracle float64) {
	var got [3]float64
	p := newPupil(m, jobs)
	for i, f := range []forecast.RunTimePredictor{nil, foresight(p.left), byOracle(jobs)} {
		run := simulate(t, exact.Config{Policy: system(t, by, nil), Nodes: cluster(nodes, 8, "v100"), Jobs: jobs, RunTimes: f, WatchDecision: []watcher{nil, p.watch, nil}[i],
			Clock: exact.NewEventClock(time.Minute, 10*time.Minute, 30*time.Second)})
		for _, j := range run.JobOutcomes {
			got[i] += (j.Finish - j.Arrive) / float64(len(run.JobOutcomes))
		}
	}
	t.Logf("%-10s mean JCT %.2f h without, %.2f h by the model, %.2f h by an oracle", by, got[0]/3600, got[1]/3600, got[2]/3600)
	return got[0], got[1], got[2]
}

// TestReproducePredictorJCT wants predictions to shorten the average completion
// time under shortest remaining time first, by at least three tenths of what knowing
// would (median over seeds), on days of jobs with over-asked limits.
func TestReproducePredictorJCT(t *testing.T) {
	for _, by := range []string{"srtf", "fairbridge"} {
		gained := over(5, func(seed int64) float64 {
			all := generate.DayDrawer{DayCount: 14, ClusterGPUs: 64, OfferedLoad: 1, CheckpointShare: .9}.DrawJobs(seed)
			known, rest := split(all, .7)
			without, model, oracle := completion(t, by, 8, later(all, len(rest)), learn.Fit(known, 0))
			return (without - model) / (without - oracle)
		})
		t.Logf("%s: %.0f %% of what an oracle gains", by, 100*gained)
		if by == "srtf" && gained < .3 {
			t.Errorf("srtf gains %.2f of what an oracle gains", gained)
		}
	}
}

// TestReproducePredictorPhilly is the same on the busiest virtual cluster of
// Philly, of which neither users, nor names, nor limits are known: at least 5 %.
func TestReproducePredictorPhilly(t *testing.T) {
	all := sets(t)["philly"]
	if all == nil {
		t.Skip("no Philly trace here")
	}
	jobs := busiest(all)
	known, rest := split(jobs[max(0, len(jobs)-8000):], .7)
	m := learn.Fit(known, 0)
	now := later(jobs, len(rest))
	sum := 0.0
	for i := range now {
		now[i].GPUs = min(now[i].GPUs, 64)
		sum += now[i].Duration * float64(now[i].GPUs)
	}
	nodes := max(8, int(sum/now[len(now)-1].Arrive/8)+1)
	t.Logf("%d jobs on %d nodes", len(now), nodes)
	without, model, _ := completion(t, "srtf", nodes, now, m)
	if model > .95*without {
		t.Errorf("mean JCT %.0f s with predictions, %.0f s without", model, without)
	}
}

// busiest returns the jobs of the account with the most.
func busiest(all []workload.Job) []workload.Job {
	n, most := map[string]int{}, ""
	for i := range all {
		a := all[i].Account
		if n[a]++; n[a] > n[most] || n[a] == n[most] && a < most {
			most = a
		}
	}
	var jobs []workload.Job
	for i := range all {
		if all[i].Account == most {
			jobs = append(jobs, all[i])
		}
	}
	return jobs
}
