package generate

import (
	"fmt"
	"math/rand/v2"

	"fairbridge/policy"
	"fairbridge/replica/workload"
)

// MultiTenantDrawer draws a cluster that accounts of unequal weights share: each asks for
// about its part, at any time, but the first one floods the cluster in bursts.
type MultiTenantDrawer struct {
	AccountCount int // 8
	ClusterGPUs  int // of the cluster; 64
	// OfferedLoad is the GPU time that all but the first account ask for, as a part of
	// what the GPUs have; .6.
	OfferedLoad float64
	// ArrivalHours in which jobs arrive; 48.
	ArrivalHours float64
	BurstCount   int // of the first account, spread evenly; 4
	// BurstLoad is the GPU time of one burst as a part of what the cluster has
	// between two bursts; .8.
	BurstLoad float64
	// MedianRunSeconds of the run times in seconds; 1,800. They spread log-normally by 1.1
	// and are at most ten times as long.
	MedianRunSeconds float64
}

// tenantWeights repeat; the flooding account has the first.
var tenantWeights = []float64{1, 4, 2, 1, 2}

func (t MultiTenantDrawer) withDefaults() MultiTenantDrawer {
	t.AccountCount, t.ClusterGPUs, t.BurstCount = max(orDefault(t.AccountCount, 8), 2), orDefault(t.ClusterGPUs, 64), orDefault(t.BurstCount, 4)
	t.OfferedLoad, t.ArrivalHours, t.BurstLoad, t.MedianRunSeconds = orDefault(t.OfferedLoad, .6), orDefault(t.ArrivalHours, 48), orDefault(t.BurstLoad, .8), orDefault(t.MedianRunSeconds, 1800)
	return t
}

// DrawAccounts returns the accounts and their weights; they are the same for each
// seed.
func (t MultiTenantDrawer) DrawAccounts(int64) []policy.Account {
	var all []policy.Account
	for i := range t.withDefaults().AccountCount {
		all = append(all, policy.Account{Name: accountName(i), Weight: tenantWeights[i%len(tenantWeights)]})
	}
	return all
}

// DrawJobs returns the jobs.
func (t MultiTenantDrawer) DrawJobs(seed int64) []workload.Job {
	t = t.withDefaults()
	r := newRandom(seed, jobRandomStream)
	accounts := t.DrawAccounts(seed)
	sum := 0.0
	for _, a := range accounts[1:] {
		sum += a.Weight
	}
	all := float64(t.ClusterGPUs) * t.ArrivalHours * 3600
	var jobs []workload.Job
	for _, a := range accounts[1:] {
		own := t.drawJobs(r, a.Name, all*t.OfferedLoad*a.Weight/sum)
		at := arrivalTimes(r, len(own), t.ArrivalHours*3600, constantRate)
		for i := range own {
			own[i].Arrive = at[i]
		}
		jobs = append(jobs, own...)
	}
	return assignIDs(append(jobs, t.drawBursts(r, accounts[0].Name, all)...))
}

// drawBursts draws the bursts of an account. Each comes within ten minutes.
func (t *MultiTenantDrawer) drawBursts(r *rand.Rand, account string, all float64) []workload.Job {
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
func (t *MultiTenantDrawer) drawJobs(r *rand.Rand, account string, target float64) []workload.Job {
	var jobs []workload.Job
	for left := target; left > 0; {
		gpus := drawPowerOfTwo(r, gavelSizeShares, t.ClusterGPUs/2)
		long := roundUpSeconds(drawLogNormal(r, t.MedianRunSeconds, 1.1, 60, 10*t.MedianRunSeconds))
		jobs = append(jobs, workload.Job{
			Name: "train", User: fmt.Sprintf("%s-%d", account, 1+r.IntN(3)), Account: account, GPUs: gpus, Duration: long,
		})
		left -= float64(gpus) * long
	}
	return jobs
}
