package generate

import (
	"fmt"
	"math/rand/v2"

	"fairbridge/bridge/study/workload"
	"fairbridge/policy"
)

// Tenant draws a cluster that accounts of unequal weights share: each asks for
// about its part, at any time, but the first one floods the cluster in bursts.
type Tenant struct {
	Accounts int // 8
	GPUs     int // of the cluster; 64
	// Load is the GPU time that all but the first account ask for, as a part of
	// what the GPUs have; .6.
	Load float64
	// Hours in which jobs arrive; 48.
	Hours  float64
	Bursts int // of the first account, spread evenly; 4
	// Flood is the GPU time of one burst as a part of what the cluster has
	// between two bursts; .8.
	Flood float64
	// Median of the run times in seconds; 1,800. They spread log-normally by 1.1
	// and are at most ten times as long.
	Median float64
}

// tenantWeights repeat; the flooding account has the first.
var tenantWeights = []float64{1, 4, 2, 1, 2}

func (t Tenant) withDefaults() Tenant {
	t.Accounts, t.GPUs, t.Bursts = max(orDefault(t.Accounts, 8), 2), orDefault(t.GPUs, 64), orDefault(t.Bursts, 4)
	t.Load, t.Hours, t.Flood, t.Median = orDefault(t.Load, .6), orDefault(t.Hours, 48), orDefault(t.Flood, .8), orDefault(t.Median, 1800)
	return t
}

// AccountsOf returns the accounts and their weights; they are the same for each
// seed.
func (t Tenant) AccountsOf(int64) []policy.Account {
	var all []policy.Account
	for i := range t.withDefaults().Accounts {
		all = append(all, policy.Account{Name: accountName(i), Weight: tenantWeights[i%len(tenantWeights)]})
	}
	return all
}

// Draw returns the jobs.
func (t Tenant) Draw(seed int64) []workload.Job {
	t = t.withDefaults()
	r := randomSource(seed, ofJobs)
	accounts := t.AccountsOf(seed)
	sum := 0.0
	for _, a := range accounts[1:] {
		sum += a.Weight
	}
	all := float64(t.GPUs) * t.Hours * 3600
	var jobs []workload.Job
	for _, a := range accounts[1:] {
		own := t.drawJobs(r, a.Name, all*t.Load*a.Weight/sum)
		at := arrivalTimes(r, len(own), t.Hours*3600, constantRate)
		for i := range own {
			own[i].Arrive = at[i]
		}
		jobs = append(jobs, own...)
	}
	return assignIDs(append(jobs, t.drawBursts(r, accounts[0].Name, all)...))
}

// drawBursts draws the bursts of an account. Each comes within ten minutes.
func (t *Tenant) drawBursts(r *rand.Rand, account string, all float64) []workload.Job {
	var jobs []workload.Job
	for b := range t.Bursts {
		begin := (float64(b) + .5) / float64(t.Bursts) * t.Hours * 3600
		own := t.drawJobs(r, account, all*t.Flood/float64(t.Bursts))
		at := arrivalTimes(r, len(own), 600, constantRate)
		for i := range own {
			own[i].Arrive = begin + at[i]
		}
		jobs = append(jobs, own...)
	}
	return jobs
}

// drawJobs makes jobs of an account's three users until they ask for so many
// GPU-seconds.
func (t *Tenant) drawJobs(r *rand.Rand, account string, target float64) []workload.Job {
	var jobs []workload.Job
	for left := target; left > 0; {
		gpus := drawSize(r, gavelSizes, t.GPUs/2)
		long := seconds(logNormal(r, t.Median, 1.1, 60, 10*t.Median))
		jobs = append(jobs, workload.Job{
			Name: "train", User: fmt.Sprintf("%s-%d", account, 1+r.IntN(3)), Account: account, GPUs: gpus, Duration: long,
		})
		left -= float64(gpus) * long
	}
	return jobs
}
