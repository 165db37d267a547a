package shadow

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"fairbridge/replica/cluster"
	"fairbridge/replica/measure"
	"fairbridge/replica/paired"
	"fairbridge/replica/replay"
)

// maxLosers is how many classes of jobs are named.
const maxLosers = 10

// groupKey is what jobs are put together by.
type groupKey struct {
	account, size, class string
	leastGPUs            int // of the size
}

// pastJob is one job as it was and in every run.
type pastJob struct {
	groupKey
	real              float64   // wait
	then, alone, plan []float64 // likewise, by seed
	startChange       float64   // of the mean start, in seconds: below 0, earlier with the plan
	startRange        float64   // by how much its start differs among the runs of Slurm alone
}

// compareRuns makes a report of runs by seed: of what was done, of Slurm alone, and of the plan.
func compareRuns(site *replay.PastScenario, then, alone, plan []*measure.Run) *Report {
	perNode := cluster.MaxGPUsPerNode(site.Nodes)
	jobs := newPastJobs(site, perNode, then, alone, plan)
	r := &Report{
		Partition: site.Partition, Since: site.Since, Until: site.Until, ClusterGPUs: site.CountGPUs(), SeedCount: len(plan), LearntJobs: len(site.History.Runs),
		All: newGroup(jobs), Remarks: slices.Clone(site.Remarks),
	}
	r.Accounts = groupJobs(jobs, func(k groupKey) groupKey { return groupKey{account: k.account} })
	r.Sizes = groupJobs(jobs, func(k groupKey) groupKey { return groupKey{size: k.size, leastGPUs: k.leastGPUs} })
	r.AccountSizes = groupJobs(jobs, func(k groupKey) groupKey { k.class = ""; return k })
	r.All.setBand(pooledError(r.Accounts))
	r.Losers = findLosers(groupJobs(jobs, func(k groupKey) groupKey { return groupKey{account: k.account, class: k.class} }))
	r.Ratios = newRatios(site, perNode, alone, plan)
	r.Stops, r.Lost, r.Writes = rangeOver(plan, func(m *measure.Run) float64 { return float64(m.CountStops()) }), rangeOver(plan, (*measure.Run).LostGPUHours), rangeOver(plan, func(m *measure.Run) float64 { return float64(m.WriteCount) })
	return r
}

// newPastJobs sets what happened to the jobs that count beside what came of them in the runs.
func newPastJobs(site *replay.PastScenario, perNode int, then, alone, plan []*measure.Run) []pastJob {
	classes := map[int64]string{}
	for i := range site.Jobs {
		j := &site.Jobs[i]
		classes[j.ID] = fmt.Sprintf("%s %s ×%d", j.User, cmp.Or(strings.TrimRight(j.Name, "0123456789-_."), j.Name), j.GPUs)
	}
	thenByID, aloneByID, planByID := outcomesByID(then), outcomesByID(alone), outcomesByID(plan)
	var jobs []pastJob
	for i := range site.RealRun.JobOutcomes {
		o := &site.RealRun.JobOutcomes[i]
		if !site.ArrivedWithinPeriod[o.ID] {
			continue
		}
		j := pastJob{groupKey: groupKey{account: cmp.Or(o.Account, "(none)"), class: classes[o.ID]}, real: WaitOf(o)}
		j.size, j.leastGPUs = paired.SizeOf(perNode, o.GPUCount)
		j.then, j.alone, j.plan = waits(thenByID[o.ID]), waits(aloneByID[o.ID]), waits(planByID[o.ID])
		a, p := starts(aloneByID[o.ID]), starts(planByID[o.ID])
		j.startChange, j.startRange = mean(p)-mean(a), slices.Max(a)-slices.Min(a)
		jobs = append(jobs, j)
	}
	return jobs
}

// outcomesByID are the outcomes of each job, run by run.
func outcomesByID(runs []*measure.Run) map[int64][]*measure.JobOutcome {
	all := map[int64][]*measure.JobOutcome{}
	for _, r := range runs {
		for i := range r.JobOutcomes {
			o := &r.JobOutcomes[i]
			all[o.ID] = append(all[o.ID], o)
		}
	}
	return all
}

// WaitOf is the time from arrival to end, in seconds, in which the job did no work.
func WaitOf(o *measure.JobOutcome) float64 {
	return max(o.Finish-o.Arrive-o.ExclusiveRunSeconds, 0)
}

func waits(outcomes []*measure.JobOutcome) []float64 {
	all := make([]float64, len(outcomes))
	for i, o := range outcomes {
		all[i] = WaitOf(o)
	}
	return all
}

func starts(outcomes []*measure.JobOutcome) []float64 {
	all := make([]float64, len(outcomes))
	for i, o := range outcomes {
		all[i] = o.Start
	}
	return all
}

// groupJobs puts jobs together by what part returns of their key, in its order.
func groupJobs(jobs []pastJob, part func(groupKey) groupKey) []Group {
	byKey := map[groupKey][]pastJob{}
	for i := range jobs {
		k := part(jobs[i].groupKey)
		byKey[k] = append(byKey[k], jobs[i])
	}
	keys := slices.SortedFunc(maps.Keys(byKey), func(a, b groupKey) int {
		return cmp.Or(strings.Compare(a.account, b.account), cmp.Compare(a.leastGPUs, b.leastGPUs), strings.Compare(a.class, b.class))
	})
	groups := make([]Group, len(keys))
	for i, k := range keys {
		groups[i] = newGroup(byKey[k])
		groups[i].Account, groups[i].Size, groups[i].Class = k.account, k.size, k.class
	}
	setBands(groups)
	return groups
}

// newRatios compares the plan with Slurm alone seed by seed.
func newRatios(site *replay.PastScenario, perNode int, alone, plan []*measure.Run) []Ratio {
	weights := map[string]float64{}
	for i := range site.Accounts {
		weights[site.Accounts[i].Name] = site.Accounts[i].Weight
	}
	weightsBySeed := map[int64]map[string]float64{}
	for _, r := range alone {
		weightsBySeed[r.Seed] = weights
	}
	set := paired.NewSet(perNode, weightsBySeed)
	c := set.Compare("plan", countedOnly(site, plan), countedOnly(site, alone))
	ratios := []Ratio{}
	for i, f := range set.Figures {
		if s := c.Spreads[i]; f.IsRatio && !math.IsNaN(s.Median) && !math.IsInf(s.Greatest, 0) {
			ratios = append(ratios, Ratio{f.Key, f.Title, Range{s.Median, s.Least, s.Greatest}})
		}
	}
	return ratios
}

// countedOnly are the runs with the jobs that count alone.
func countedOnly(site *replay.PastScenario, runs []*measure.Run) []*measure.Run {
	var all []*measure.Run
	for _, r := range runs {
		c := *r
		c.JobOutcomes = slices.DeleteFunc(slices.Clone(r.JobOutcomes), func(o measure.JobOutcome) bool { return !site.ArrivedWithinPeriod[o.ID] })
		all = append(all, &c)
	}
	return all
}

func rangeOver(runs []*measure.Run, value func(*measure.Run) float64) Range {
	var all []float64
	for _, r := range runs {
		all = append(all, value(r))
	}
	return Range{measure.Median(all), slices.Min(all), slices.Max(all)}
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v / float64(len(values))
	}
	return sum
}

// newGroup sums jobs up, without its band and claim.
func newGroup(jobs []pastJob) Group {
	g := Group{JobCount: len(jobs)}
	if len(jobs) == 0 {
		return g
	}
	n := float64(len(jobs))
	alone, plan := make([]float64, len(jobs[0].alone)), make([]float64, len(jobs[0].plan)) // by seed
	for i := range jobs {
		j := &jobs[i]
		g.RealWait += j.real / n
		g.OwnError += (mean(j.then) - j.real) / n
		addScaled(alone, j.alone, 1/n)
		addScaled(plan, j.plan, 1/n)
		switch by := max(j.startRange, LeastChange); {
		case j.startChange < -by:
			g.EarlierCount++
		case j.startChange > by:
			g.LaterCount++
		}
	}
	g.AloneWait, g.PlanWait = mean(alone), mean(plan)
	g.Gain = g.AloneWait - g.PlanWait
	g.aloneDeviation, g.planDeviation = standardDeviation(alone), standardDeviation(plan)
	return g
}

// BandWidth is how many standard errors a band is wide on either side: it is meant to hold four
// of five.
const BandWidth = 1.3

// setBand says how far the gain of a group may be off, and what may be claimed. errorOfOne is the
// standard error of the simulation of one job's wait, as pooledError has it: the error of a
// single group may be small by luck. A band is at least the group's own error.
func (g *Group) setBand(errorOfOne float64) {
	usual := errorOfOne / math.Sqrt(float64(max(g.JobCount, 1)))
	g.Band = max(math.Abs(g.OwnError), BandWidth*math.Hypot(usual, math.Hypot(g.aloneDeviation, g.planDeviation)))
	g.Claim = claimOf(g.Gain, g.Band)
	if g.JobCount == 0 {
		g.Claim = CannotTell
	}
}

// setBands is setBand for groups of one kind.
func setBands(groups []Group) {
	errorOfOne := pooledError(groups)
	for i := range groups {
		groups[i].setBand(errorOfOne)
	}
}

// pooledError is the standard error of the simulation of one job's wait, as the mean errors of
// groups show it: that of a group of n is as large as 1/√n of it.
func pooledError(groups []Group) float64 {
	sum := 0.0
	for i := range groups {
		sum += groups[i].OwnError * groups[i].OwnError * float64(groups[i].JobCount) / float64(len(groups))
	}
	return math.Sqrt(sum)
}

// findLosers are the groups that would have waited longer, by the time that costs them in all.
func findLosers(groups []Group) []Group {
	groups = slices.DeleteFunc(groups, func(g Group) bool { return g.Gain > -LeastChange })
	slices.SortStableFunc(groups, func(a, b Group) int {
		return cmp.Compare(a.Gain*float64(a.JobCount), b.Gain*float64(b.JobCount))
	})
	return groups[:min(len(groups), maxLosers)]
}

func addScaled(sum, values []float64, by float64) {
	for i, v := range values {
		sum[i] += by * v
	}
}

// standardDeviation of a sample; 0 of one.
func standardDeviation(values []float64) float64 {
	m, sum := mean(values), 0.0
	for _, v := range values {
		sum += (v - m) * (v - m)
	}
	return math.Sqrt(sum / float64(max(len(values)-1, 1)))
}
