package shadow

import (
	"context"
	"flag"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/harm"
	"fairbridge/lab/generate"
	"fairbridge/policy"
	"fairbridge/policy/learn"
	"fairbridge/replica/cluster"
	"fairbridge/replica/forecast"
	"fairbridge/replica/measure"
	"fairbridge/replica/policyset"
	"fairbridge/replica/replay"
	"fairbridge/replica/study"
	"fairbridge/replica/workload"
	"fairbridge/scripts/verify/part"
)

var (
	trialSites = flag.Int("trial-sites", 0, "on how many made-up sites the harm guard is tried")
	trialNodes = flag.String("trial-nodes", "2x8:a100", "of those sites")
	trialLoad  = flag.Float64("trial-load", 1.2, "of those sites")
	trialHours = flag.String("trial-hours", "24", "after how many hours live it checks, separated by commas")
	trialLive  = flag.String("trial-live", "fifo,fairbridge", "the policies that are live, separated by commas")
	trialSeeds = flag.Int("trial-seeds", 3, "simulations of each for a check")
)

// liveRecord is what a site's database holds at a moment of a live day.
type liveRecord struct {
	memoryRecord
	policyName string
	atEnd      []policy.Job
	now        time.Time
}

func (r *liveRecord) ListSteering(context.Context, string, string, time.Time, time.Time) ([]bridge.PolicyCycleCounts, error) {
	return []bridge.PolicyCycleCounts{{Mode: bridge.ModePreempt, Policy: r.policyName, CycleCount: 1e6, EditCount: 1000}}, nil
}

func (r *liveRecord) LastSnapshot(context.Context, string, string) (*policy.Snapshot, error) {
	return &policy.Snapshot{Now: r.now, Nodes: r.nodes, Jobs: r.atEnd}, nil
}

// recordAt is the record of a live day that began then, at a moment of it.
func (m *madeSite) recordAt(policyName string, live *measure.Run, begin, now time.Time) *liveRecord {
	r := &liveRecord{memoryRecord: *m.memoryRecord, policyName: policyName, now: now}
	r.runs = append([]bridge.PastRun{}, m.runs...)
	outcomes := map[int64]*measure.JobOutcome{}
	for i := range live.JobOutcomes {
		outcomes[live.JobOutcomes[i].ID] = &live.JobOutcomes[i]
	}
	for i := range m.secondDay.Jobs {
		j := &m.secondDay.Jobs[i]
		if o := outcomes[j.ID]; !begin.Add(time.Duration(j.Arrive) * time.Second).After(now) {
			r.addJob(j, o, begin, now)
		}
	}
	r.predict()
	return r
}

// predict gives the jobs that have not ended what the daemon would have predicted of them.
func (r *liveRecord) predict() {
	l := forecast.NewLearner()
	for i := range r.runs {
		if x := &r.runs[i]; x.HasEnded && !x.StoppedByUs && !x.End.After(r.now) {
			job := learn.Job{User: x.User, Account: x.Account, Name: x.Name, GPUs: x.GPUs, GPUType: x.GPUTypes[0], Limit: policy.DurationFromSeconds(x.LimitSeconds)}
			l.AddEndedRun(learn.Run{Job: job, Start: x.Start, End: x.End, Ran: x.End.Sub(x.Start)})
		}
	}
	for i := range r.atEnd {
		r.atEnd[i].PredictedLeft, r.atEnd[i].PredictedSigma = l.ForecastAt(r.now).PredictTimeLeft(&r.atEnd[i])
	}
}

// addJob adds the runs of a job until now, and the job to the queue if it has not ended. One that
// was stopped is taken as having been stopped once, in the middle of its work.
func (r *liveRecord) addJob(j *workload.Job, o *measure.JobOutcome, begin, now time.Time) {
	at := func(s float64) time.Time { return begin.Add(time.Duration(math.Round(s)) * time.Second) }
	spans := [][2]float64{{o.Start, o.Finish}}
	if o.StopCount > 0 {
		spans = [][2]float64{{o.Start, o.Start + o.HeldSeconds/2}, {o.Finish - o.HeldSeconds/2, o.Finish}}
	}
	nodes, _ := j.NodeShape(r.nodes)
	seen := policy.Job{
		ID: policy.JobID(j.ID), Name: j.Name, User: j.User, Account: j.Account, State: policy.Pending, Arrive: at(j.Arrive), Limit: j.TimeLimit,
		Ask: policy.Ask{GPUs: policy.GPUs{Type: "a100", Count: j.GPUs}, MinNodes: nodes}, CheckpointCost: time.Duration(j.RestartCostSeconds * float64(time.Second)),
	}
	if j.IsUnstoppable {
		seen.UnstoppableReason = "its owner did not opt in"
	}
	hasEnded := false
	for k, s := range spans {
		if !at(s[0]).Before(now) {
			break
		}
		x := bridge.PastRun{
			Job: seen.ID, Arrive: seen.Arrive, Start: at(s[0]), End: at(s[1]), HasEnded: true, Name: j.Name, User: j.User, Account: j.Account,
			State: "COMPLETED", GPUs: j.GPUs, LimitSeconds: j.TimeLimit.Seconds(), GPUTypes: []string{"a100"}, NodeCount: nodes, StoppedByUs: k+1 < len(spans),
		}
		seen.State, seen.Start = policy.Running, x.Start
		switch {
		case x.End.After(now):
			x.End, x.HasEnded, x.State = now, false, "RUNNING"
		case k+1 < len(spans):
			seen.State, seen.Start, x.State = policy.Pending, time.Time{}, "REQUEUED"
		default:
			hasEnded = true
		}
		r.runs = append(r.runs, x)
	}
	r.seen[seen.ID] = seen
	if !hasEnded {
		r.atEnd = append(r.atEnd, seen)
	}
}

// makeLiveSite is a site that ran a day under Slurm alone, and then one with a policy live.
func makeLiveSite(t *testing.T, seed int64, load float64, policyName string) (*madeSite, *measure.Run) {
	t.Helper()
	nodes, err := cluster.ParseSpec(*trialNodes)
	if err != nil {
		t.Fatal(err)
	}
	d := generate.DayDrawer{DayCount: 2, ClusterGPUs: cluster.CountGPUs(nodes), OfferedLoad: load, MaxRunTime: 12 * time.Hour, UserCount: 40, AccountCount: 5}
	m := makeSiteOf(t, seed, nodes, d)
	p, err := policyset.ChoiceFromRecord(policyName, "")
	if err != nil {
		t.Fatal(err)
	}
	site, err := secondDayPeriod().ReadScenario(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	m.runs = m.runs[:m.firstDayRuns]
	return m, throughSlurm(t, m.secondDay, p, study.RunOptions{Seed: 2000 + seed, History: site.History})
}

// TestALiveDayIsMeasured: wide jobs and many short narrow ones come to a small cluster. With the shortest
// first, jobs wait as with Slurm alone, and the check says so. In strict order the narrow ones wait
// behind the wide, around which Slurm alone would have filled up: that is measured, and not cleared.
func TestALiveDayIsMeasured(t *testing.T) {
	part.Long(t, testing.Short())
	nodes, err := cluster.ParseSpec("2x4:a100")
	if err != nil {
		t.Fatal(err)
	}
	var jobs []workload.Job
	for i := range 88 {
		j := workload.Job{ID: int64(i + 1), Name: "narrow", User: "ann", Account: "a", Arrive: float64(240*i + 17*(i%7)), GPUs: 1, Duration: 560, TimeLimit: 10 * time.Minute, IsUnstoppable: true}
		if i%5 == 1 {
			j.Name, j.User, j.Account, j.GPUs, j.Duration, j.TimeLimit, j.NodeCount = "wide", "bob", "b", 6, 2400, time.Hour, 2
		}
		jobs = append(jobs, j)
	}
	s, err := study.NewScenario(study.Scenario{Name: "by hand", Jobs: jobs, Nodes: nodes}, true)
	if err != nil {
		t.Fatal(err)
	}
	m := &madeSite{memoryRecord: &memoryRecord{nodes: nodes, seen: map[policy.JobID]policy.Job{}}, secondDay: s}
	for name, want := range map[string]struct {
		verdict         harm.Claim
		atLeast, atMost float64 // times the wait with Slurm alone
	}{"srtf": {harm.NoHarm, 0.9, 1.1}, "fifo": {harm.CannotTell, 1.5, 3}} {
		p, err := policyset.ChoiceFromRecord(name, "")
		if err != nil {
			t.Fatal(err)
		}
		live, now := throughSlurm(t, s, p, study.RunOptions{Seed: 7}), monday.Add(6*time.Hour)
		c := checkAt(t, m.recordAt(name, live, monday, now), monday, now, 2)
		f := c.Figures[0]
		if c.Verdict != want.verdict || f.Live < want.atLeast*f.Alone || f.Live > want.atMost*f.Alone || f.JobCount != 88 {
			t.Errorf("with %s live: %s", name, c.Summarize())
		}
	}
}

// TestTheGuardOnMadeUpSites: on drawn days it claims no harm where all jobs waited less than with Slurm alone. It
// takes minutes for each site: go test -run MadeUpSites -v -args -trial-sites 4 -trial-hours 12,18,24
func TestTheGuardOnMadeUpSites(t *testing.T) {
	if *trialSites == 0 {
		t.Skip("asked for by -args -trial-sites 4")
	}
	for seed := range int64(*trialSites) {
		for _, name := range strings.Split(*trialLive, ",") {
			m, live := makeLiveSite(t, 401+seed, *trialLoad, name)
			truth := trueGains(m.alone, live)[""]
			t.Logf("site %d with %s live: jobs waited %.0f s less than with Slurm alone, in truth", seed, name, truth)
			for _, text := range strings.Split(*trialHours, ",") {
				hours, err := strconv.ParseFloat(text, 64)
				if err != nil {
					t.Fatal(err)
				}
				begin := monday.AddDate(0, 0, 7)
				now := begin.Add(time.Duration(hours * float64(time.Hour)))
				c := checkAt(t, m.recordAt(name, live, begin, now), begin, now, *trialSeeds)
				t.Logf("  after %g h: %s", hours, c.Summarize())
				if c.Verdict == harm.Harm && truth > LeastChange {
					t.Errorf("site %d with %s live, after %g h: %s", seed, name, hours, c.Summarize())
				}
			}
		}
	}
}

// checkAt is one check of the guard.
func checkAt(t *testing.T, r *liveRecord, begin, now time.Time, seeds int) harm.Check {
	t.Helper()
	b := harm.DefaultBounds()
	since := now.Add(-b.Window)
	if since.Before(begin) {
		since = begin
	}
	p := replay.Period{Cluster: "c", Partition: "gpu", Since: since, Until: now, LoopConfig: bridge.DefaultConfig(), IsNow: true}
	site, err := p.ReadScenario(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	measured, err := MeasureLive(t.Context(), site, Options{RunOptions: study.RunOptions{Seed: 1}, SeedCount: seeds})
	if err != nil {
		t.Fatal(err)
	}
	return harm.JudgeMeasurement("gpu", now, measured, b)
}
