package train

import (
	"fmt"
	"math"
	"math/rand/v2"

	"fairbridge/lab/exact"
	"fairbridge/policy"
	"fairbridge/replica/workload"
)

// Workload is a drawn workload of elastic training jobs like that of the experiments of Pollux
// (Qiao et al., OSDI 2021): most jobs take less than a GPU-hour, a fifth up to ten, a few up to
// a hundred, and models differ in how well they scale. Each runs on 1 to 16 GPUs.
type Workload struct {
	JobCount int     // of a run
	GPUs     int     // of the cluster, in nodes of eight
	Load     float64 // work that arrives, as a part of what the GPUs can do
}

// jobKinds are the kinds of jobs: their shares, their work in GPU-hours, spread evenly by its
// logarithm, and the most GPUs they ask for.
var jobKinds = []struct {
	share, least, most float64
	asks               int
}{{.72, .05, 1, 2}, {.20, 1, 10, 4}, {.08, 10, 100, 8}}

// serialParts are those of the models' steps that do not get faster with GPUs.
var serialParts = []float64{.01, .03, .06, .12, .3}

// Draw returns the simulation of a seed, without its policy. The policy is asked every
// minute; a resize costs half a minute without progress.
func (w Workload) Draw(seed int64) exact.Config {
	r := rand.New(rand.NewPCG(uint64(seed), 15))
	jobs, work := make([]workload.Job, w.JobCount), 0.0
	for i := range jobs {
		k, u := 0, r.Float64()
		for k < len(jobKinds)-1 && u >= jobKinds[k].share {
			u -= jobKinds[k].share
			k++
		}
		kind := &jobKinds[k]
		hours, gpus := kind.least*math.Pow(kind.most/kind.least, r.Float64()), 1+r.IntN(kind.asks)
		work += 3600 * hours
		jobs[i] = workload.Job{GPUs: gpus, MinGPUs: 1, MaxGPUs: 16, Duration: math.Ceil(3600 * hours / float64(gpus)),
			Scaling: &policy.Scaling{Source: policy.ScalingFromTable, SerialPart: serialParts[r.IntN(len(serialParts))]}}
	}
	span := work / (w.Load * float64(w.GPUs))
	for i := range jobs {
		jobs[i].ID, jobs[i].Arrive = int64(i+1), math.Floor(span*r.Float64())
	}
	c := exact.Config{Jobs: jobs, Clock: exact.NewEventClock(decisionEvery, decisionEvery, restartCost), OmitsReasons: true}
	for i := range (w.GPUs + 7) / 8 {
		c.Nodes = append(c.Nodes, policy.Node{Name: fmt.Sprintf("n%03d", i), Partitions: []string{"gpu"}, CPUs: 64, GPUs: []policy.NodeDevices{{Type: "v100", Count: min(8, w.GPUs-8*i)}}})
	}
	return c
}
