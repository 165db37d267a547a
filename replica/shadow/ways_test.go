package shadow

import (
	"flag"
	"strconv"
	"strings"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/harm"
	"fairbridge/lab/generate"
	"fairbridge/replica/cluster"
	"fairbridge/replica/measure"
	"fairbridge/replica/policyset"
	"fairbridge/replica/replay"
	"fairbridge/replica/sim"
	"fairbridge/replica/study"
)

var trialWays = flag.String("trial-ways", "", "ways of Slurm that stand for a policy on the trial's sites: none, fifo, fifo-no-backfill, last-account, narrow-first")

// asIfBy changes Slurm's settings, and the QOS of jobs, into what some policy would do: a day of it costs a hundredth of
// one with a loop beside Slurm.
func asIfBy(way, lastAccount string, s *study.Scenario, o *study.RunOptions) {
	first := func(is func(account string, gpus int) bool) {
		o.SlurmConfig.PriorityWeights = sim.PriorityWeights{Age: 1000, FairShare: 10000, PointsByQOS: map[string]float64{"first": 1e6}}
		for i := range s.Jobs {
			if is(s.Jobs[i].Account, s.Jobs[i].GPUs) {
				s.Jobs[i].QOS = "first"
			}
		}
	}
	switch o.SlurmConfig = (sim.Config{}); way {
	case "fifo":
		o.SlurmConfig.PriorityWeights = sim.PriorityWeights{Age: 1000}
	case "fifo-no-backfill":
		o.SlurmConfig.PriorityWeights, o.SlurmConfig.BackfillInterval = sim.PriorityWeights{Age: 1000}, -1
	case "last-account":
		first(func(account string, _ int) bool { return account != lastAccount })
	case "narrow-first":
		first(func(_ string, gpus int) bool { return gpus <= 2 })
	}
}

// quickestAccount is the account of 40 jobs or more that waits least under Slurm alone.
func quickestAccount(m *madeSite) (name string) {
	count, wait := map[string]float64{}, map[string]float64{}
	for i := range m.alone.JobOutcomes {
		o := &m.alone.JobOutcomes[i]
		count[o.Account]++
		wait[o.Account] += WaitOf(o)
	}
	for a := range count {
		if count[a] >= 40 && (name == "" || wait[a]/count[a] < wait[name]/count[name]) {
			name = a
		}
	}
	return name
}

// wayRuns simulates a scenario some way so many times, with other arrivals and run times each.
func wayRuns(t *testing.T, way, lastAccount string, s *study.Scenario, unended map[int64]replay.UnendedJob, count int, seed int64) (runs []*measure.Run) {
	for k := range int64(count) {
		c, o := *s, study.RunOptions{Seed: seed + k}
		c.Jobs = append(c.Jobs[:0:0], s.Jobs...)
		study.DelayArrivals(c.Jobs, arrivalNoise, o.Seed)
		drawRunTimes(c.Jobs, unended, o.Seed)
		asIfBy(way, lastAccount, &c, &o)
		run := throughSlurm(t, &c, policyset.SlurmAlone(), o)
		restoreRunTimes(run, unended)
		runs = append(runs, run)
	}
	return runs
}

// meanCompletion is that of the jobs that came until a moment, as far as it is known then.
func meanCompletion(r *measure.Run, end float64) (mean float64) {
	cut, count := cutAt(r, end), 0.0
	for i := range cut.JobOutcomes {
		if o := &cut.JobOutcomes[i]; o.Arrive <= end {
			mean, count = mean+o.Finish-o.Arrive, count+1
		}
	}
	return mean / count
}

// TestTheGuardOnWaysOfSlurm: no harm is found where Slurm's own order is live. It says what is found where another is:
// go test -run WaysOfSlurm -v -timeout 3h -args -trial-sites 4 -trial-ways none,fifo -trial-hours 6,12,18,24
func TestTheGuardOnWaysOfSlurm(t *testing.T) {
	if *trialSites == 0 || *trialWays == "" {
		t.Skip("asked for by -args -trial-sites 4 -trial-ways none,fifo")
	}
	for site := range int64(*trialSites) {
		for _, way := range strings.Split(*trialWays, ",") {
			tryWay(t, site, way)
		}
	}
}

func tryWay(t *testing.T, seed int64, way string) {
	nodes, err := cluster.ParseSpec(*trialNodes)
	if err != nil {
		t.Fatal(err)
	}
	m := makeSiteOf(t, 401+seed, nodes, generate.DayDrawer{DayCount: 2, ClusterGPUs: cluster.CountGPUs(nodes), OfferedLoad: *trialLoad, MaxRunTime: 12 * time.Hour, UserCount: 40, AccountCount: 5})
	m.runs = m.runs[:m.firstDayRuns]
	last, begin := quickestAccount(m), monday.AddDate(0, 0, 7)
	live := wayRuns(t, way, last, m.secondDay, nil, 1, 9000+100*seed)[0]
	alone := wayRuns(t, "none", "", m.secondDay, nil, 5, 7000+100*seed)
	for _, text := range strings.Split(*trialHours, ",") {
		hours, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		now, truth := begin.Add(time.Duration(hours*float64(time.Hour))), 0.0
		for _, r := range alone {
			truth += meanCompletion(r, 3600*hours) / float64(len(alone))
		}
		p := replay.Period{Cluster: "c", Partition: "gpu", Since: begin, Until: now, LoopConfig: bridge.DefaultConfig(), IsNow: true}
		site, err := p.ReadScenario(t.Context(), m.recordAt("fifo", live, begin, now))
		if err != nil {
			t.Fatal(err)
		}
		simulate := func(way string, count int, seed int64) []*measure.Run {
			return wayRuns(t, way, last, site.Scenario, site.Unended, count, seed)
		}
		c := harm.JudgeMeasurement("gpu", now, newMeasurement(site, simulate("none", 5*AloneRuns, 1), simulate(way, 5, 501)), harm.DefaultBounds())
		t.Logf("site %d, %s, after %g h: completion %.2f of Slurm alone, in truth. %s", seed, way, hours, meanCompletion(live, 3600*hours)/truth, c.Summarize())
		if way == "none" && c.Verdict == harm.Harm {
			t.Error("that is Slurm alone")
		}
	}
}
