package generate

import (
	"fmt"
	"math/rand/v2"

	"fairbridge/bridge/study/workload"
	"fairbridge/policy"
)

// TenantDrawer draws a cluster that accounts of unequal weights share: each asks for
// about its part, at any time, but the first one floods the cluster in bursts.
type TenantDrawer struct {
	Accounts int // 8
	GPUs     int // of the cluster; 64
	// Load is the GPU time that all but the first account ask for, as a part of
	// what the GPUs have; .6.
	Load float64
	// ArrivalHours in which jobs arrive; 48.
	ArrivalHours float64
	BurstCount   int // of the first account, spread evenly; 4
	// BurstLoad is the GPU time of one burst as a part of what the cluster has
	// between two bursts; .8.
	BurstLoad float64
	// MedianRunTime of the run times in seconds; 1,800. They spread log-normally by 1.1
	// and are at most ten times as long.
	MedianRunTime float64
}

// tenantWeights repeat; the flooding account has the first.
var tenantWeights = []float64{1, 4, 2, 1, 2}

func (t TenantDrawer) withDefaults() TenantDrawer {
	t.Accounts, t.GPUs, t.BurstCount = max(orDefault(t.Accounts, 8), 2), orDefault(t.GPUs, 64), orDefault(t.BurstCount, 4)
	t.Load, t.ArrivalHours, t.BurstLoad, t.MedianRunTime = orDefault(t.Load, .6), orDefault(t.ArrivalHours, 48), orDefault(t.BurstLoad, .8), orDefault(t.MedianRunTime, 1800)
	return t
}

// AccountsOf returns the accounts and their weights; they are the same for each
// seed.
func (t TenantDrawer) AccountsOf(int64) []policy.Account {
	var all []policy.Account
	for i := range t.withDefaults().Accounts {
		all = append(all, policy.Account{Name: accountName(i), Weight: tenantWeights[i%len(tenantWeights)]})
	}
	return all
}

// Draw returns the jobs.
func (t TenantDrawer) Draw(seed int64) []workload.Job {
	t = t.withDefaults()
	r := randomSource(seed, ofJobs)
	accounts := t.AccountsOf(seed)
	sum := 0.0
	for _, a := range accounts[1:] {
		sum += a.Weight
	}
	all := float64(t.GPUs) * t.ArrivalHours * 3600
	var jobs []workload.Job
	for _, a := range accounts[1:] {
		own := t.drawJobs(r, a.Name, all*t.Load*a.Weight/sum)
		at := arrivalTimes(r, len(own), t.ArrivalHours*3600, constantRate)
		for i := range own {
			own[i].Arrive = at[i]
		}
		jobs = append(jobs, own...)
	}
	return assignIDs(append(jobs, t.drawBursts(r, accounts[0].Name, all)...))
}

// drawBursts draws the bursts of an account. Each comes within ten minutes.
func (t *TenantDrawer) drawBursts(r *rand.Rand, account string, all float64) []workload.Job {
	var jobs []workload.Job
	for b := range t.BurstCount {
		begin := (float64(b) + .5) / float64(t.BurstCount) * t.ArrivalHours * 3600
		own := t.drawJobs(r, account, all*t.BurstLoad/float64(t.BurstCount))
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
func (t *TenantDrawer) drawJobs(r *rand.Rand, account string, target float64) []workload.Job {
	var jobs []workload.Job
	for left := target; left > 0; {
		gpus := drawSize(r, gavelSizeShares, t.GPUs/2)
		long := wholeSeconds(drawLogNormal(r, t.MedianRunTime, 1.1, 60, 10*t.MedianRunTime))
		jobs = append(jobs, workload.Job{
			Name: "train", User: fmt.Sprintf("%s-%d", account, 1+r.IntN(3)), Account: account, GPUs: gpus, Duration: long,
		})
		left -= float64(gpus) * long
	}
	return jobs
}
