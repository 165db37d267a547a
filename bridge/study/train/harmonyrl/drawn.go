package harmonyrl

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"fairbridge/bridge/study/exact"
	"fairbridge/bridge/study/neighbours"
	"fairbridge/bridge/study/workload"
	"fairbridge/policy"
)

// Workload is drawn jobs of 2 to 8 GPUs that come by chance, of eight classes, for servers of four GPUs on which jobs slow each
// other, as in the experiments of Harmony.
type Workload struct {
	JobCount int
	GPUs     int
	Load     float64 // work that arrives, as a part of what the GPUs can do
}

// ReproducedWorkload is that of the figures of harmony.
var ReproducedWorkload = Workload{JobCount: 200, GPUs: 24, Load: .6}

// Draw returns the simulation of a seed, without its policy.
func (w Workload) Draw(seed int64) exact.Config {
	r := rand.New(rand.NewPCG(uint64(seed), 7))
	jobs, now := make([]workload.Job, w.JobCount), 0.0
	const meanSeconds, meanGPUs = 3600., 5.
	for i := range jobs {
		now += r.ExpFloat64() * meanSeconds * meanGPUs / float64(w.GPUs) / w.Load
		jobs[i] = workload.Job{ID: int64(i + 1), User: fmt.Sprint("u", i%8), Account: "a", Class: string(rune('A' + r.IntN(8))), GPUs: 2 + r.IntN(7), Arrive: math.Floor(now),
			Duration: math.Ceil(meanSeconds * math.Exp(.8*r.NormFloat64()-.32))}
		jobs[i].GPUs = min(jobs[i].GPUs, w.GPUs)
	}
	c := exact.Config{Jobs: jobs, Clock: exact.NewEventClock(time.Minute, 5*time.Minute, 0), OmitsReasons: true, NodeInterference: Truth(seed)}
	for i := range (w.GPUs + 3) / 4 {
		c.Nodes = append(c.Nodes, policy.Node{Name: fmt.Sprintf("n%04d", i), Partitions: []string{"gpu"}, CPUs: 64, MemMB: 1 << 20,
			GPUs: []policy.NodeDevices{{Type: "v100", Count: min(4, w.GPUs-4*i)}}})
	}
	return c
}

// Truth is how jobs of a seed slow each other: a neighbour on half of a node costs a sixth to a half of the speed.
func Truth(seed int64) *neighbours.OnNode {
	return &neighbours.OnNode{Seed: uint64(seed), MeanLoss: 1. / 3, MostLoss: .5, OwnSpread: .1}
}

// forTrace gives jobs of a trace that have no class one by their user and name, and lets them slow each other.
func forTrace(c *exact.Config, seed int64) {
	for i := range c.Jobs {
		j := &c.Jobs[i]
		if j.Class == "" {
			h := uint32(0)
			for _, b := range []byte(j.User + "|" + j.Name) {
				h = h*31 + uint32(b)
			}
			j.Class = string(rune('A' + h%8))
		}
	}
	c.NodeInterference = Truth(seed)
}
