package reproduce

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/catalogue"
	"fairbridge/replica/measure"
	"fairbridge/replica/slurmrun"
	"fairbridge/replica/workload"
)

// beside runs jobs that nobody lets be stopped through the simulated Slurm:
// under the default policy with the daemon's parameters, and by itself.
func beside(t *testing.T, nodes []policy.Node, jobs []workload.Job, accounts []policy.Account, seed int64) (ours, alone *measure.Run) {
	t.Helper()
	e, err := catalogue.FindSystem("fairbridge")
	if err != nil {
		t.Fatal(err)
	}
	p, err := e.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	run := func(p policy.Policy) *measure.Run {
		r, err := slurmrun.Run(slurmrun.Config{Policy: p, PolicyName: "fairbridge", Nodes: nodes, Jobs: jobs, Accounts: accounts, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	return run(p), run(nil)
}

// TestGangThroughSlurm: a gang of an account that used nothing, among a stream
// of small jobs that want more than there is, starts soon although nobody may be
// stopped.
func TestGangThroughSlurm(t *testing.T) {
	var jobs []workload.Job
	for i := range 120 { // an hour each, 12 an hour: one and a half times 8 GPUs
		jobs = append(jobs, workload.Job{ID: int64(i + 2), User: "bob", Account: "busy", Arrive: float64(i * 300), GPUs: 1,
			Duration: 3600, TimeLimit: 2 * time.Hour, IsUnstoppable: true, IsSilent: true})
	}
	jobs = append(jobs, workload.Job{ID: 1, User: "ann", Account: "idle", Arrive: 3 * 3600, GPUs: 8, Duration: 3600, TimeLimit: 2 * time.Hour, IsUnstoppable: true, IsSilent: true})
	ours, alone := beside(t, cluster(1, 8, "a100"), jobs, []policy.Account{{Name: "busy", Weight: 1}, {Name: "idle", Weight: 1}}, 1)
	wait := func(r *measure.Run) float64 {
		i := slices.IndexFunc(r.JobOutcomes, func(o measure.JobOutcome) bool { return o.ID == 1 })
		return (r.JobOutcomes[i].Start - r.JobOutcomes[i].Arrive) / 3600
	}
	t.Logf("waits %.2f h, with Slurm by itself %.2f h", wait(ours), wait(alone))
	if wait(ours) > 2 { // a quarter of its limit, and what then runs
		t.Errorf("the gang waits %.1f h, with Slurm by itself %.1f h", wait(ours), wait(alone))
	}
}

// TestAccountsThroughSlurm: what accounts that use less than their share pay for
// the default, measured beside Slurm by itself on the same jobs, when one of
// them used little before and another much.
func TestAccountsThroughSlurm(t *testing.T) {
	const day = 32 * 24 * 3600 // GPU-seconds
	for name, used := range map[string][3]policy.GPUSeconds{"unequal": {6 * day, day / 10, 3 * day}, "equal": {day, day, day}} {
		t.Run(name, func(t *testing.T) {
			var ratios [3][]float64
			for seed := int64(1); seed <= 9; seed++ {
				var accounts []policy.Account
				for k := range used {
					accounts = append(accounts, policy.Account{Name: sharers[k], Weight: 1, UsedService: used[k]})
				}
				ours, alone := beside(t, cluster(4, 8, "a100"), tenantJobs(seed), accounts, seed)
				a, b := slowdowns(ours), slowdowns(alone)
				for k := range ratios {
					ratios[k] = append(ratios[k], a[sharers[k]]/b[sharers[k]])
				}
			}
			for k, name := range sharers {
				t.Logf("slowdown of account %s over that with Slurm by itself: median %.2f of %.2f", name, median(ratios[k]), ratios[k])
				if m := median(ratios[k]); name != "many" && m > 1.05 {
					t.Errorf("account %s pays: %.2f", name, m)
				}
			}
		})
	}
}

// sharers are accounts, the first of which asks for more than its share.
var sharers = [3]string{"many", "few", "some"}

// tenantJobs draws jobs of minutes to hours, limits one to four times as long,
// that want a fifth more than 32 GPUs while they arrive.
func tenantJobs(seed int64) []workload.Job {
	r := rand.New(rand.NewPCG(uint64(seed), 7))
	jobs, gpus := make([]workload.Job, 140), 0.0
	for i := range jobs {
		k := []int{0, 0, 0, 1, 1, 2}[r.IntN(6)]
		long := math.Round(120 * math.Exp(math.Log(60)*r.Float64()))
		jobs[i] = workload.Job{User: sharers[k], Account: sharers[k], GPUs: []int{1, 1, 1, 1, 2, 2, 4, 8, 8, 16}[r.IntN(10)],
			Duration: long, TimeLimit: policy.DurationFromSeconds(math.Ceil(long * (1.2 + 3*r.Float64()))), IsUnstoppable: true, IsSilent: true}
		gpus += long * float64(jobs[i].GPUs)
	}
	for i := range jobs {
		jobs[i].ID, jobs[i].Arrive = int64(i+1), math.Floor(r.Float64()*gpus/32/1.2)
	}
	return jobs
}

// slowdowns are the mean slowdowns by account.
func slowdowns(r *measure.Run) map[string]float64 {
	sum, n := map[string]float64{}, map[string]float64{}
	for _, j := range r.JobOutcomes {
		sum[j.Account] += (j.Finish - j.Arrive) / j.ExclusiveRunSeconds
		n[j.Account]++
	}
	for name := range sum {
		sum[name] /= n[name]
	}
	return sum
}
