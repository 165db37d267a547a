package policytest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"fairbridge/policy"
)

// scenario is a workload of which nothing may be stopped: jobs, by arrival, and how
// long each really runs.
type scenario struct {
	nodes                 []policy.Node
	accounts              []policy.Account // with what they used before
	jobs                  []policy.Job
	runTimes              []time.Duration
	predictionErrorFactor float64 // how wrong predictions are: a factor, or one over it; 0: nothing is predicted
}

// planInterval is the time between two plans.
const planInterval = 10 * time.Minute

func (d *scenario) addJob(account string, at time.Duration, gpus int, run, limit time.Duration) {
	from := SnapshotTime.Add(at)
	d.jobs = append(d.jobs, policy.Job{User: account, Account: account, Partition: "batch", State: policy.Pending,
		Submit: from, Arrive: from, EligibleAt: from, Limit: limit, UnstoppableReason: "its owner does not let it be stopped",
		Ask: policy.Ask{GPUs: policy.GPUs{Count: gpus}, MaxNodes: 1}})
	d.runTimes = append(d.runTimes, run)
}

// numberJobs puts the jobs in order of arrival and gives them ids from 1.
func (d *scenario) numberJobs() {
	order := make([]int, len(d.jobs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return d.jobs[a].Arrive.Compare(d.jobs[b].Arrive) })
	jobs, runs := slices.Clone(d.jobs), slices.Clone(d.runTimes)
	for k, i := range order {
		d.jobs[k], d.runTimes[k] = jobs[i], runs[i]
		d.jobs[k].ID = policy.JobID(k + 1)
	}
}

// longestTimeLimit is the longest time limit.
func (d *scenario) longestTimeLimit() (most time.Duration) {
	for i := range d.jobs {
		most = max(most, d.jobs[i].Limit)
	}
	return most
}

// measureWaits carries out a policy's plans every step, until all jobs have started,
// and returns how long each waited.
func (d *scenario) measureWaits(t *testing.T, p policy.Policy) []time.Duration {
	t.Helper()
	s := &policy.Snapshot{Now: SnapshotTime, Nodes: d.nodes, OmitReasons: true, Accounts: slices.Clone(d.accounts)}
	waits, come, started := make([]time.Duration, len(d.jobs)), 0, 0
	for started < len(d.jobs) {
		for ; come < len(d.jobs) && !d.jobs[come].Arrive.After(s.Now); come++ {
			s.Jobs = append(s.Jobs, d.jobs[come])
			d.predictRunTime(&s.Jobs[len(s.Jobs)-1])
		}
		plan, err := p.Decide(s)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range plan.Decisions {
			if v.Verb == policy.Start {
				waits[v.Job-1] = s.Now.Sub(d.jobs[v.Job-1].Arrive)
				started++
			}
		}
		s = ApplyPlan(s, plan)
		s.Now = s.Now.Add(planInterval)
		if s.Now.Sub(SnapshotTime) > 7*24*time.Hour {
			t.Fatalf("%d of %d jobs never start", len(d.jobs)-started, len(d.jobs))
		}
		d.advanceRunning(s)
	}
	return waits
}

// predictRunTime says how long the job is thought to run on: too long for one, too
// short for the next.
func (d *scenario) predictRunTime(j *policy.Job) {
	if d.predictionErrorFactor == 0 {
		return
	}
	total, ran := d.runTimes[j.ID-1].Seconds()*d.predictionErrorFactor, float64(j.Attained)/j.Ask.GPUs.WholeGPUs()
	if j.ID%2 == 0 {
		total = d.runTimes[j.ID-1].Seconds() / d.predictionErrorFactor
	}
	j.PredictedLeft = max(policy.DurationFromSeconds(total-ran), planInterval)
	j.PredictedSigma = j.PredictedLeft
}

// advanceRunning lets a step go by for those that run.
func (d *scenario) advanceRunning(s *policy.Snapshot) {
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if !j.HoldsGPUs() {
			continue
		}
		creditRunningJob(j, planInterval)
		d.predictRunTime(j)
		for k := range s.Accounts {
			if a := &s.Accounts[k]; a.Name == j.Account {
				a.UsedService += policy.ServiceForTime(j.Ask.GPUs.WholeGPUs(), planInterval)
			}
		}
	}
	s.Jobs = slices.DeleteFunc(s.Jobs, func(j policy.Job) bool {
		return j.HoldsGPUs() && !s.Now.Before(j.Start.Add(d.runTimes[j.ID-1]))
	})
}

// CompareSlowdowns says what accounts pay for a policy where no job may be stopped: by
// account, the median over drawn days of its mean slowdown under ours over that
// under theirs, on the same jobs. Three accounts of one share each have the
// demands, as parts of an overload by a quarter, and have used so many times
// what the cluster has in a day. The makes must return new, equal policies each
// time.
func CompareSlowdowns(t *testing.T, ours, theirs func() policy.Policy, demands, used [3]float64) [3]float64 {
	t.Helper()
	var ratios [3][]float64
	for seed := range uint64(15) {
		d := drawAccountScenario(seed, demands, used)
		a, b := d.meanSlowdowns(d.measureWaits(t, ours())), d.meanSlowdowns(d.measureWaits(t, theirs()))
		for k := range ratios {
			ratios[k] = append(ratios[k], a[k]/b[k])
		}
	}
	var out [3]float64
	for k := range ratios {
		slices.Sort(ratios[k])
		out[k] = ratios[k][len(ratios[k])/2]
	}
	return out
}

var accountNames = [3]string{"a", "b", "c"}

// drawAccountScenario draws ten hours of jobs on 4 nodes of 8 GPUs.
func drawAccountScenario(seed uint64, demands, used [3]float64) *scenario {
	const gpus, span = 32, 10 * time.Hour
	r := rand.New(rand.NewPCG(seed, 8))
	d := &scenario{}
	for _, name := range []string{"n1", "n2", "n3", "n4"} {
		d.nodes = append(d.nodes, policy.Node{Name: name, Partitions: []string{"batch"}, GPUs: []policy.NodeDevices{{Type: a100Type, Count: gpus / 4}}})
	}
	for k, name := range accountNames {
		d.accounts = append(d.accounts, policy.Account{Name: name, Weight: 1, UsedService: policy.ServiceForTime(gpus*used[k], 24*time.Hour)})
		for left := 1.25 * demands[k] * gpus * span.Seconds(); left > 0; {
			n := []int{1, 1, 1, 2, 2, 4, 8}[r.IntN(7)]
			run := time.Duration(math.Exp(math.Log(18)*r.Float64())) * planInterval
			d.addJob(name, time.Duration(r.Float64()*float64(span)), n, run, time.Duration(float64(run)*(1.2+3*r.Float64())))
			left -= float64(n) * run.Seconds()
		}
	}
	d.numberJobs()
	return d
}

// meanSlowdowns are the means, by account, of the time a job was there over the time
// it ran.
func (d *scenario) meanSlowdowns(waits []time.Duration) (mean [3]float64) {
	var jobs [3]float64
	for i := range d.jobs {
		k := slices.Index(accountNames[:], d.jobs[i].Account)
		mean[k] += 1 + waits[i].Seconds()/d.runTimes[i].Seconds()
		jobs[k]++
	}
	for k := range mean {
		mean[k] /= jobs[k]
	}
	return mean
}

// FindStarvingJob looks for a job that waits far too long where no job may be
// stopped. On drawn overloads by small jobs, with gangs among them, every job
// should start within twice its wait under EASY (first come, first served with
// backfilling), the greater of least and twice its own time limit, and twice
// the longest time limit of all: a job may be lucky under EASY and have to wait
// for a gang here. On some days run times are predicted, all of them wrong. It describes the first job that does not; "" means all do.
// The makes must return new, equal policies each time.
func FindStarvingJob(t *testing.T, make, easy func() policy.Policy, least time.Duration) string {
	t.Helper()
	for i, seed := range []uint64{0, 9, 12, 29, 0, 9} {
		d := drawOverloadScenario(seed)
		if i >= 4 {
			d.predictionErrorFactor = 3
		}
		ours := d.measureWaits(t, make())
		for i, theirs := range d.measureWaits(t, easy()) {
			j := &d.jobs[i]
			if most := 2*theirs + max(least, 2*j.Limit) + 2*d.longestTimeLimit(); ours[i] > most {
				return fmt.Sprintf("seed %d: job %d of account %s on %d GPUs with a limit of %v waits %v, under EASY %v: at most %v",
					seed, j.ID, j.Account, j.Ask.GPUs.Count, j.Limit, ours[i], theirs, most)
			}
		}
	}
	return ""
}

// drawOverloadScenario draws an overload of 1.5 by small jobs of one account on a node of 8
// GPUs, and a gang every few hours that wants all of them, of another account
// or of the same.
func drawOverloadScenario(seed uint64) *scenario {
	r := rand.New(rand.NewPCG(seed, 13))
	d := &scenario{nodes: []policy.Node{{Name: "n1", Partitions: []string{"batch"}, GPUs: []policy.NodeDevices{{Type: a100Type, Count: 8}}}},
		accounts: []policy.Account{{Name: "busy", Weight: 1}, {Name: "idle", Weight: 1}}}
	for at := time.Duration(0); at < 14*time.Hour; {
		run := time.Duration(4+r.IntN(9)) * planInterval / 2
		gpus := 1 + r.IntN(2)
		d.addJob("busy", at, gpus, run, run*time.Duration(1+r.IntN(3)))
		at += time.Duration(float64(run) * float64(gpus) / 8 / 1.5)
	}
	for i := range 3 {
		account := []string{"idle", "busy"}[r.IntN(2)]
		run := time.Duration(2+r.IntN(11)) * planInterval
		d.addJob(account, time.Duration(2+3*i)*time.Hour, 8, run, run+planInterval)
	}
	d.numberJobs()
	return d
}
