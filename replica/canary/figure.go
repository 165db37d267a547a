package canary

import (
	"cmp"
	"math"

	"fairbridge/bridge"
	"fairbridge/replica/cluster"
	"fairbridge/replica/measure"
	"fairbridge/replica/paired"
	"fairbridge/replica/policyset"
	"fairbridge/replica/replay"
	"fairbridge/replica/shadow"
)

// figure is one thing that days are judged by; less is better.
type figure struct {
	key, title string
	// logOf is the logarithm of what one run has over what another has, of the same jobs; NaN
	// where there is nothing to compare.
	logOf func(run, baseline *measure.Run) float64
}

// figures are what a verdict rests on.
var figures = [bridge.CanaryFigureCount]figure{
	{"mean_completion_s", "Mean completion", func(run, baseline *measure.Run) float64 {
		return math.Log(measure.Mean(run.JCTs()) / measure.Mean(baseline.JCTs()))
	}},
	{"mean_wait_s", "Mean wait", func(run, baseline *measure.Run) float64 { return math.Log(countedWait(run) / countedWait(baseline)) }},
	{"slowdown_gangs", "Mean bounded slowdown of gangs", func(run, baseline *measure.Run) float64 {
		return math.Log(measure.Mean(paired.Slowdowns(run, 2, math.MaxInt)) / measure.Mean(paired.Slowdowns(baseline, 2, math.MaxInt)))
	}},
	{"worst_account_slowdown", "Mean bounded slowdown of the worst account", worstAccount},
}

// countedWait is the mean wait; what is less than what people care about counts as that, since the
// ratio of two waits of seconds says nothing.
func countedWait(r *measure.Run) float64 {
	sum := 0.0
	for i := range r.JobOutcomes {
		sum += shadow.WaitOf(&r.JobOutcomes[i])
	}
	return max(sum/float64(len(r.JobOutcomes)), shadow.LeastChange)
}

// leastAccountJobs is how many jobs of a day an account must have to be the worst of it.
const leastAccountJobs = 5

// worstAccount is of the account whose jobs fared worst by their mean slowdown, compared with the
// other run.
func worstAccount(run, baseline *measure.Run) float64 {
	jobs := map[string]int{}
	for i := range run.JobOutcomes {
		jobs[run.JobOutcomes[i].Account]++
	}
	worst := math.NaN()
	for name, ratio := range paired.AccountRatios(run, baseline) {
		if log := math.Log(ratio); jobs[name] >= leastAccountJobs && !(log <= worst) {
			worst = log
		}
	}
	return worst
}

// groupKey is what jobs are put together by: an account, a size, or both.
type groupKey struct {
	account, size string
	leastGPUs     int // of the size
}

// groupOfDay is the jobs of a group on a day.
type groupOfDay struct {
	jobs int
	log  float64 // of their mean slowdown over that under Slurm alone
}

// setDecider makes who decided on the day what the simulation of what was done is of: the period goes
// on after midnight, when another may have decided.
func (d *Day) setDecider(site *replay.PastScenario) (err error) {
	site.Decider, err = policyset.ChoiceFromRecord(d.policy, d.params)
	site.Mode = d.mode
	return err
}

// setFigures sets what became of the day's jobs.
func (d *Day) setFigures(runs *shadow.LiveRuns, site *replay.PastScenario) {
	if d.JobCount, d.Remarks = len(runs.Live.JobOutcomes), site.Remarks; d.JobCount == 0 {
		d.LeftOut = "no GPU job that was submitted on it was free to start"
		return
	}
	d.Ratios, d.OwnErrors = map[string]float64{}, map[string]float64{}
	for _, f := range figures {
		d.setFigure(&f, runs)
	}
	d.groups = map[groupKey]groupOfDay{}
	perNode := cluster.MaxGPUsPerNode(site.Nodes)
	slowdowns := slowdownsByGroup(perNode, runs.Live)
	logs := map[groupKey]float64{}
	for _, alone := range runs.Alone {
		for key, other := range slowdownsByGroup(perNode, alone) {
			logs[key] += math.Log(measure.Mean(slowdowns[key])/measure.Mean(other)) / float64(len(runs.Alone))
		}
	}
	for key, mine := range slowdowns {
		d.groups[key] = groupOfDay{len(mine), logs[key]}
	}
}

func (d *Day) setFigure(f *figure, runs *shadow.LiveRuns) {
	ratio, ownError := 0.0, 0.0
	for i := range runs.Alone {
		ratio += f.logOf(runs.Live, runs.Alone[i]) / float64(len(runs.Alone))
		ownError += f.logOf(runs.Then[i], runs.Live) / float64(len(runs.Then))
	}
	if !math.IsNaN(ratio) && !math.IsInf(ratio, 0) {
		d.Ratios[f.key], d.OwnErrors[f.key] = math.Exp(ratio), math.Exp(ownError)
	}
}

// slowdownsByGroup are the slowdowns of the jobs of each account, each size, and each of both.
func slowdownsByGroup(perNode int, r *measure.Run) map[groupKey][]float64 {
	groups := map[groupKey][]float64{}
	for i := range r.JobOutcomes {
		o := &r.JobOutcomes[i]
		size, least := paired.SizeOf(perNode, o.GPUCount)
		account := cmp.Or(o.Account, "(none)")
		for _, key := range []groupKey{{account: account}, {size: size, leastGPUs: least}, {account, size, least}} {
			groups[key] = append(groups[key], o.Slowdown())
		}
	}
	return groups
}
