package policytest

import (
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
