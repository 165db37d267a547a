package shadow

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/lab/generate"
	"fairbridge/policy"
	"fairbridge/replica/cluster"
	"fairbridge/replica/measure"
	"fairbridge/replica/policyset"
	"fairbridge/replica/replay"
	"fairbridge/replica/study"
	"fairbridge/replica/workload"
	"fairbridge/scripts/verify/part"
)

var (
	seedCount    = flag.Int("seeds", 3, "how many times claims are simulated")
	siteCount    = flag.Int("sites", 1, "on how many made-up sites claims are compared with what came")
	siteLoad     = flag.Float64("load", 1.2, "of those sites")
	sitePolicies = flag.String("policies", "fairbridge,fifo", "whose plans those are, separated by commas")
)

var monday = time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)

// memoryRecord is what a site that observed would have kept of a run of Slurm alone.
type memoryRecord struct {
	runs     []bridge.PastRun
	nodes    []policy.Node
	seen     map[policy.JobID]policy.Job
	accounts []policy.Account
}

func (r *memoryRecord) PastRuns(_ context.Context, _, _ string, since, until time.Time) ([]bridge.PastRun, error) {
	var held []bridge.PastRun
	for i := range r.runs {
		if x := &r.runs[i]; x.End.After(since) && x.Start.Before(until) {
			held = append(held, *x)
		}
	}
	return held, nil
}

func (r *memoryRecord) CountUnstartedJobs(context.Context, string, string, time.Time, time.Time) (waiting, ended int, err error) {
	return 0, 0, nil
}

func (r *memoryRecord) Past(context.Context, string, time.Time) (*bridge.Past, error) {
	return &bridge.Past{Accounts: slices.Clone(r.accounts)}, nil
}

func (r *memoryRecord) ListSteering(context.Context, string, string, time.Time, time.Time) ([]bridge.PolicyCycleCounts, error) {
	return nil, nil
}

func (r *memoryRecord) LastSeenJobs(context.Context, string, string, time.Time, time.Time) (map[policy.JobID]policy.Job, error) {
	return r.seen, nil
}

func (r *memoryRecord) LastSnapshot(context.Context, string, string) (*policy.Snapshot, error) {
	if r.nodes == nil {
		return nil, errors.New("no cycle is stored")
	}
	return &policy.Snapshot{Nodes: r.nodes}, nil
}

// add records the jobs of a run that began then, with numbers from first.
func (r *memoryRecord) add(jobs []workload.Job, run *measure.Run, begin time.Time, first int64) {
	at := func(s float64) time.Time { return begin.Add(time.Duration(math.Round(s)) * time.Second) }
	for i := range jobs {
		j := &jobs[i]
		k := slices.IndexFunc(run.JobOutcomes, func(o measure.JobOutcome) bool { return o.ID == j.ID })
		o := &run.JobOutcomes[k]
		nodes, _ := j.NodeShape(r.nodes)
		x := bridge.PastRun{
			Job: policy.JobID(first + j.ID), Arrive: at(j.Arrive), Start: at(o.Start), End: at(o.Finish), HasEnded: true, Name: j.Name, User: j.User, Account: j.Account,
			State: "COMPLETED", GPUs: j.GPUs, LimitSeconds: j.TimeLimit.Seconds(), GPUTypes: []string{"a100"}, NodeCount: nodes,
		}
		r.runs = append(r.runs, x)
		if !j.IsUnstoppable {
			r.seen[x.Job] = policy.Job{ID: x.Job, Arrive: x.Arrive, CheckpointCost: time.Duration(j.RestartCostSeconds * float64(time.Second))}
		}
	}
}

// madeSite is a site that ran one day, then another of which it wants to know.
type madeSite struct {
	*memoryRecord
	secondDay    *study.Scenario
	alone        *measure.Run // what became of the second day
	firstDayRuns int          // how many of the runs are of the first day
}

func throughSlurm(t *testing.T, s *study.Scenario, p policyset.PolicyChoice, o study.RunOptions) *measure.Run {
	t.Helper()
	o.ThroughSlurm, o.RestartCost = true, study.DefaultRestartCost
	run, err := s.Run(t.Context(), p, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// makeSite draws two days of a site and runs them under Slurm alone.
func makeSite(t *testing.T, seed int64, spec string, load float64) *madeSite {
	t.Helper()
	nodes, err := cluster.ParseSpec(spec)
	if err != nil {
		t.Fatal(err)
	}
	return makeSiteOf(t, seed, nodes, generate.DayDrawer{DayCount: 2, ClusterGPUs: cluster.CountGPUs(nodes), OfferedLoad: load, MaxRunTime: 12 * time.Hour, UserCount: 40, AccountCount: 5})
}

// makeSiteOf is makeSite with the nodes and the days given.
func makeSiteOf(t *testing.T, seed int64, nodes []policy.Node, d generate.DayDrawer) *madeSite {
	t.Helper()
	jobs, accounts := d.DrawJobs(seed), d.DrawAccounts(seed)
	m := &madeSite{memoryRecord: &memoryRecord{nodes: nodes, accounts: accounts, seen: map[policy.JobID]policy.Job{}}}
	const day = 86400
	for k := range 2 {
		var part []workload.Job
		for _, j := range jobs {
			if int(j.Arrive/day) == k {
				j.Arrive -= float64(k) * day
				part = append(part, j)
			}
		}
		s, err := study.NewScenario(study.Scenario{Name: fmt.Sprint("day ", k+1), Jobs: part, Accounts: accounts, Nodes: nodes}, true)
		if err != nil {
			t.Fatal(err)
		}
		run := throughSlurm(t, s, policyset.SlurmAlone(), study.RunOptions{Seed: 1000 + seed})
		m.firstDayRuns = len(m.runs)
		m.add(s.Jobs, run, monday.AddDate(0, 0, 7*k), int64(k)*100_000)
		m.secondDay, m.alone = s, run
	}
	return m
}

// secondDayPeriod is the second day, a week after the first.
func secondDayPeriod() replay.Period {
	p := replay.Period{Cluster: "c", Partition: "gpu", Since: monday.AddDate(0, 0, 7), Until: monday.AddDate(0, 0, 14), LoopConfig: bridge.DefaultConfig()}
	return p
}

// report makes the report of the second day.
func (m *madeSite) report(t *testing.T, policyName string, seeds int) (*replay.PastScenario, *Report) {
	t.Helper()
	site, err := secondDayPeriod().ReadScenario(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := policyset.ChoiceFromRecord(policyName, "")
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewReport(t.Context(), site, Plan{plan, bridge.ModePreempt}, Options{RunOptions: study.RunOptions{Seed: 1}, SeedCount: seeds})
	if err != nil {
		t.Fatal(err)
	}
	return site, r
}

// gains are the true ones: of all jobs (""), and by account.
func trueGains(alone, live *measure.Run) map[string]float64 {
	sum, count := map[string]float64{}, map[string]float64{}
	for i := range alone.JobOutcomes {
		o, l := &alone.JobOutcomes[i], &live.JobOutcomes[i]
		for _, name := range []string{"", o.Account} {
			sum[name] += WaitOf(o) - WaitOf(l)
			count[name]++
		}
	}
	for name := range sum {
		sum[name] /= count[name]
	}
	return sum
}

// TestClaimsComeTrue makes the report of a day from what a site would have recorded of it, then
// runs the same day live: with the jobs as they really were, and other phases of Slurm. What
// was claimed must have come. -args -sites 20 says how often it does.
func TestClaimsComeTrue(t *testing.T) {
	part.Only(t, "studies")
	claims, wrong, held, groups, cannotTell := 0, 0, 0, 0, 0
	for seed := range int64(*siteCount) {
		m := makeSite(t, 201+seed, "4x8:a100", *siteLoad)
		for _, name := range strings.Split(*sitePolicies, ",") {
			site, r := m.report(t, name, *seedCount)
			plan, err := policyset.ChoiceFromRecord(name, "")
			if err != nil {
				t.Fatal(err)
			}
			live := throughSlurm(t, m.secondDay, plan, study.RunOptions{Seed: 2000 + seed, History: site.History})
			truth := trueGains(m.alone, live)
			t.Logf("site %d, %s: %s True gain %.0f s of %.0f s.", seed, name, r.Summarize(), truth[""], r.All.RealWait)
			all := slices.Clone(r.Accounts)
			r.All.Account = ""
			for _, g := range append(all, r.All) {
				was := truth[g.Account]
				groups++
				if g.Claim == CannotTell {
					cannotTell++
				}
				if math.Abs(g.Gain-was) <= max(g.Band, LeastChange) {
					held++
				}
				if g.Claim == WaitsLess || g.Claim == WaitsMore {
					claims++
					if (was > 0) != (g.Claim == WaitsLess) {
						wrong++
						t.Logf("  wrong: %s %s, gain %.0f ± %.0f s, in truth %.0f s (%d jobs)", g.Account, g.Claim, g.Gain, g.Band, was, g.JobCount)
					}
				}
			}
			t.Logf("  so far: of %d groups the band held the truth for %d; %d cannot be told, of %d claims %d were wrong", groups, held, cannotTell, claims, wrong)
		}
	}
	if claims == 0 || wrong*10 > claims {
		t.Errorf("of %d claims %d were wrong", claims, wrong)
	}
}
