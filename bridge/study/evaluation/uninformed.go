package evaluation

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"fairbridge/bridge/study"
	"fairbridge/bridge/study/cluster"
	"fairbridge/bridge/study/workload"
	"fairbridge/policy"
)

// uninformedSizes are the GPUs of jobs that tell nothing, each as often as it stands here.
var uninformedSizes = []int{1, 1, 1, 1, 2, 2, 4, 8}

// drawUninformed draws jobs that tell nothing of how long they run: each has an owner and a name of
// its own, all have one time limit, and run times depend on nothing, the size included. Where nothing can
// be known a policy can gain nothing but by size and fairness, and should lose nothing.
func drawUninformed(jobCount int) func(load float64, seed int64) (*study.Scenario, error) {
	return func(load float64, seed int64) (*study.Scenario, error) {
		nodes, err := cluster.ParseSpec(slurmTableCluster)
		if err != nil {
			return nil, err
		}
		random := rand.New(rand.NewPCG(uint64(seed), 0))
		given := study.Scenario{Name: "uninformed", Nodes: nodes, Jobs: make([]workload.Job, jobCount)}
		work := 0.0
		for i := range given.Jobs {
			given.Jobs[i] = drawUninformedJob(random, i)
			work += float64(given.Jobs[i].GPUs) * given.Jobs[i].Duration
		}
		at, meanGap := 0.0, work/(load*float64(cluster.CountGPUs(nodes))*float64(jobCount))
		for i := range given.Jobs {
			given.Jobs[i].Arrive = math.Floor(at)
			at += meanGap * random.ExpFloat64()
		}
		given.Accounts = uninformedAccounts()
		return study.NewScenario(given, false)
	}
}

// Run times of such jobs spread log-normally about twenty minutes, up to half of the limit.
const (
	uninformedMedianSeconds = 1200
	uninformedSigma         = 1.5
	uninformedLimit         = 24 * time.Hour
)

// drawUninformedJob draws one job; when it arrives is drawn later.
func drawUninformedJob(random *rand.Rand, index int) workload.Job {
	runs := uninformedMedianSeconds * math.Exp(uninformedSigma*random.NormFloat64())
	return workload.Job{
		ID: int64(index + 1), User: fmt.Sprintf("user%d", index), Name: fmt.Sprintf("job%d", index), Account: uninformedAccounts()[random.IntN(4)].Name,
		GPUs: uninformedSizes[random.IntN(len(uninformedSizes))], Duration: math.Ceil(min(max(runs, 60), uninformedLimit.Seconds()/2)),
		TimeLimit: uninformedLimit, IsSilent: true, IsUnstoppable: true,
	}
}

// uninformedAccounts are four of one weight.
func uninformedAccounts() []policy.Account {
	return []policy.Account{{Name: "a", Weight: 1}, {Name: "b", Weight: 1}, {Name: "c", Weight: 1}, {Name: "d", Weight: 1}}
}
