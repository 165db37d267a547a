package fluid

import (
	"cmp"
	"fmt"
	"math"
	"sort"

	"fairbridge/policy"
	"fairbridge/policy/scaling"
	"fairbridge/replica/measure"
	"fairbridge/replica/workload"
)

// job is a job of a world. Amounts are GPUs and GPU-seconds of the first GPU: what a job does
// on one GPU in a second.
type job struct {
	*workload.Job
	arrive       micro
	mostGPUs     float64   // it can use
	speeds       []float64 // on 0, 1, 2 … GPUs, relative to one
	efficiencies []float64 // see listEfficiencies
	service      float64   // GPU-seconds it needs; in a forecast what was left when that began
	remaining    float64   // of service
	class        int       // by Rule.classOf

	share           float64 // GPUs it has
	sortKey         float64 // scratch of a Rule
	contentionSum   float64 // sum over events of the jobs there were
	contentionCount float64 // of events

	start, finish, predictedEnd micro // noTime: not yet
	heldSeconds, heldService    float64
}

func newJob(from *workload.Job) (*job, error) {
	j := &job{Job: from, arrive: microFromSeconds(from.Arrive), start: noTime, finish: noTime, predictedEnd: noTime}
	most := max(from.GPUs, from.MaxGPUs)
	if from.GPUs <= 0 || !(from.Duration > 0) || from.Training != nil {
		return nil, fmt.Errorf("%s needs GPUs and a run time, and no throughput tables, to run on GPUs that are divided into fractions", from.Location())
	}
	j.mostGPUs = float64(most)
	j.speeds = listSpeeds(from, most)
	j.efficiencies = listEfficiencies(j.speeds)
	j.service = from.Duration * j.speed(float64(from.GPUs))
	if from.GPUs == 1 || isLinear(from.Scaling) {
		j.service = from.Duration * float64(from.GPUs)
	}
	j.remaining = j.service
	return j, nil
}

func isLinear(s *policy.Scaling) bool {
	return s == nil || len(s.Points)+len(s.StepTimes) == 0 && s.SerialPart == 0
}

// listSpeeds lists the speeds on whole numbers of GPUs. Where they are in proportion, they are
// computed as PCS' simulator does: in the last digits of figures that shows.
func listSpeeds(from *workload.Job, most int) []float64 {
	speeds := make([]float64, most+1)
	asked := policy.Job{Ask: policy.Ask{GPUs: policy.GPUs{Type: from.GPUType, Count: from.GPUs}}, Scaling: from.Scaling}
	one := scaling.New(&asked).Speed(scaling.Size{Devices: 1})
	for k := 1; k <= most; k++ {
		if isLinear(from.Scaling) {
			speeds[k] = 1e-6 / ((1 / float64(k)) / 1e6)
			continue
		}
		speeds[k] = scaling.New(&asked).Speed(scaling.Size{Devices: k}) / cmp.Or(one, 1)
	}
	return speeds
}

// speed is the speed on an amount of GPUs, linear between whole ones.
func (j *job) speed(gpus float64) float64 {
	below := int(gpus)
	if below >= len(j.speeds)-1 {
		return j.speeds[len(j.speeds)-1]
	}
	if part := gpus - float64(below); part > 0 {
		return j.speeds[below] + part*(j.speeds[below+1]-j.speeds[below])
	}
	return j.speeds[below]
}

// lengthOn is how many seconds the rest takes on an amount of GPUs.
func (j *job) lengthOn(gpus float64) float64 {
	if v := j.speed(gpus); v > 0 {
		return j.remaining / v
	}
	return math.Inf(1)
}

// longestSeconds is later than any end that is foreseen; microseconds beyond it cannot be counted.
const longestSeconds = 1e12

// endFrom is when the job ends if its share stays.
func (j *job) endFrom(now micro) micro {
	if length := j.lengthOn(j.share); length < longestSeconds {
		return now + microFromSeconds(length)
	}
	return noTime
}

// efficientMost is the most GPUs on each number up to which a GPU does at least so much of
// what the first does.
func (j *job) efficientMost(efficiency float64) float64 {
	return float64(sort.Search(len(j.efficiencies), func(k int) bool { return j.efficiencies[k] < efficiency }))
}

// listEfficiencies lists, for 1, 2, … GPUs, the least that a GPU does on that many or fewer.
func listEfficiencies(speeds []float64) []float64 {
	least := make([]float64, len(speeds)-1)
	for k := range least {
		if least[k] = speeds[k+1] / float64(k+1); k > 0 {
			least[k] = min(least[k], least[k-1])
		}
	}
	return least
}

func (j *job) addContention(jobs int) {
	j.contentionSum += float64(jobs)
	j.contentionCount++
}

// measure writes down what became of the jobs.
func (w *world) measure(c *Config) *measure.Run {
	run := &measure.Run{Seed: c.Seed, ClusterGPUs: c.GPUs, FillableIdleGPUSeconds: -1, MakespanSeconds: w.now.seconds()}
	for _, j := range w.ended {
		run.BusyGPUSeconds += j.heldService
		run.JobOutcomes = append(run.JobOutcomes, measure.JobOutcome{
			ID: j.ID, User: j.User, Account: j.Account, GPUCount: j.GPUs, Arrive: j.arrive.seconds(), Start: j.start.seconds(), Finish: j.finish.seconds(),
			PredictedFinish: j.predictedEnd.seconds(), ExclusiveRunSeconds: j.service / j.speed(float64(min(j.mostGPUs, w.gpus))),
			HeldSeconds: j.heldSeconds, Service: j.heldService,
		})
	}
	return run
}
