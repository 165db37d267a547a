package mlfrl

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"fairbridge/bridge/study/exact"
	"fairbridge/bridge/study/generate"
	"fairbridge/bridge/study/workload"
	"fairbridge/policy"
)

// Workload is a drawn workload like that of the experiments of MLFS: run times of Philly's jobs up to two days,
// gangs of 1 to 32 GPUs, a deadline for each, and losses that fall to a plateau.
type Workload struct {
	JobCount int
	GPUs     int     // of the cluster, in nodes of four
	Load     float64 // work that arrives, as a part of what the GPUs can do
}

// Draw returns the simulation of a seed, without its policy. The policy is asked every minute at most; a stop costs
// half a minute.
func (w Workload) Draw(seed int64) exact.Config {
	r := newChance(seed)
	jobs := generate.PhillyDrawer{JobCount: w.JobCount, ClusterGPUs: w.GPUs, MaxRunSeconds: 2 * 86400}.DrawJobs(seed)
	work, last := 0.0, max(jobs[len(jobs)-1].Arrive, 1)
	for i := range jobs {
		jobs[i].GPUs = min(1<<r.IntN(6), w.GPUs)
		work += jobs[i].Duration * float64(jobs[i].GPUs)
	}
	span := work / (w.Load * float64(w.GPUs))
	for i := range jobs {
		jobs[i].Arrive = math.Floor(jobs[i].Arrive * span / last)
		giveGoals(r, &jobs[i])
		if r.IntN(5) == 0 {
			jobs[i].QOS = "high"
		}
	}
	c := exact.Config{Jobs: jobs, Clock: exact.NewEventClock(time.Minute, 5*time.Minute, 30*time.Second), OmitsReasons: true}
	for i := range (w.GPUs + 3) / 4 {
		c.Nodes = append(c.Nodes, policy.Node{Name: fmt.Sprintf("n%03d", i), Partitions: []string{"gpu"}, CPUs: 64, MemMB: 1 << 20,
			GPUs: []policy.NodeDevices{{Type: "v100", Count: min(4, w.GPUs-4*i)}}})
	}
	return c
}

func newChance(seed int64) *rand.Rand { return rand.New(rand.NewPCG(uint64(seed), 60)) }

// giveGoals draws a deadline and how the loss of a job falls.
func giveGoals(r *rand.Rand, j *workload.Job) {
	j.Deadline = j.Arrive + max(1.1*j.Duration, 3600*(.5+23.5*r.Float64()))
	j.Loss = &workload.LossCurve{Floor: .1, Range: 2, Decay: math.Exp(-math.Log(100) / (.3 + .7*r.Float64()))}
}

// giveTraceGoals gives them to jobs of a trace that have no deadline of their own.
func giveTraceGoals(jobs []workload.Job, seed int64) {
	r := newChance(seed)
	for i := range jobs {
		if jobs[i].Deadline == 0 {
			giveGoals(r, &jobs[i])
		}
	}
}
