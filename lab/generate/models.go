package generate

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"fairbridge/replica/workload"
)

// modelCost is a kind of training job. Its speeds are made up: a step takes what
// the batch costs, what every step costs, and what GPUs cost to agree.
type modelCost struct {
	name               string
	batchSizes         []int
	secondsPerSample   float64 // seconds a sample takes on the fastest type
	secondsPerStep     float64 // seconds every step takes besides
	secondsPerDoubling float64 // seconds every step takes for each doubling of the GPUs
	maxGPUs            int     // most it can use
	relativeSpeeds     [2]float64
}

// gpuTypes are the GPU types of NewSpeedTables, the fastest first.
var gpuTypes = [3]string{"v100", "p100", "k80"}

// modelCosts are the models drawn from, named as in the published tables so that
// their jobs adapt batch sizes by the same rules. slower are the speeds of p100
// and k80 relative to v100: heavy convolutions lose most on old GPUs.
var modelCosts = []modelCost{
	{"ResNet-18", []int{16, 32, 64, 128, 256}, .00058, .012, .006, 8, [2]float64{.62, .22}},
	{"ResNet-50", []int{16, 32, 64, 128}, .0048, .020, .008, 8, [2]float64{.52, .14}},
	{"Transformer", []int{16, 32, 64, 128}, .0068, .030, .025, 8, [2]float64{.72, .33}},
	{"LM", []int{5, 10, 20, 40, 80}, .00042, .006, .005, 8, [2]float64{.80, .27}},
	{"Recommendation", []int{512, 1024, 2048, 4096, 8192}, .0000095, .004, 0, 1, [2]float64{.95, .45}},
}

// stepsPerSecond returns the steps per second of the whole job on so many GPUs of
// types[typ].
func (m *modelCost) stepsPerSecond(typ, batch, gpus int) float64 {
	one := m.secondsPerStep + m.secondsPerSample*float64(batch)
	if typ > 0 {
		one /= m.relativeSpeeds[typ-1]
	}
	return float64(gpus) / (one + m.secondsPerDoubling*float64(bits.Len(uint(gpus))-1))
}

// busyShare is the part of a GPU's time that the job alone keeps it busy.
func (m *modelCost) busyShare(batch int) float64 {
	work := m.secondsPerSample * float64(batch)
	return .25 + .7*work/(work+m.secondsPerStep)
}

// memoryShare is the part of a GPU's memory that the job fills.
func (m *modelCost) memoryShare(batch int) float64 {
	return .12 + .5*float64(batch)/float64(m.batchSizes[len(m.batchSizes)-1])
}

// Speeds of two jobs on one GPU: both lose a little, and share what one of them
// cannot have for itself.
const pairSpeedFactor = .95

// speedKeptBeside returns how much of its speed alone each of two neighbours keeps; 0
// when they do not fit together.
func speedKeptBeside(a *modelCost, batchA int, b *modelCost, batchB int) float64 {
	if a.memoryShare(batchA)+b.memoryShare(batchB) > 1 {
		return 0
	}
	return pairSpeedFactor / math.Max(1, a.busyShare(batchA)+b.busyShare(batchB))
}

// NewSpeedTables returns made-up speeds of the jobs that Gavel, Shockwave and Deadline
// draw, alone and in pairs on one GPU. GPU types: v100, p100, k80.
func NewSpeedTables() *workload.SpeedTables {
	var rows []workload.SpeedRow
	for typ := range gpuTypes {
		for i := range modelCosts {
			for _, batch := range modelCosts[i].batchSizes {
				rows = append(rows, speedsAlone(typ, &modelCosts[i], batch)...)
				rows = append(rows, speedsInPairs(typ, &modelCosts[i], batch)...)
			}
		}
	}
	return workload.NewSpeedTables(rows)
}

func speedsAlone(typ int, m *modelCost, batch int) []workload.SpeedRow {
	var rows []workload.SpeedRow
	for g := 1; g <= m.maxGPUs; g *= 2 {
		rows = append(rows, workload.SpeedRow{GPUType: gpuTypes[typ], Class: workload.ClassOf(m.name, batch), GPUCount: g, StepsPerSecond: m.stepsPerSecond(typ, batch, g)})
	}
	return rows
}

func speedsInPairs(typ int, m *modelCost, batch int) []workload.SpeedRow {
	var rows []workload.SpeedRow
	for i := range modelCosts {
		o := &modelCosts[i]
		for _, other := range o.batchSizes {
			keep := speedKeptBeside(m, batch, o, other)
			rows = append(rows, workload.SpeedRow{
				GPUType: gpuTypes[typ], Class: workload.ClassOf(m.name, batch), GPUCount: 1, StepsPerSecond: keep * m.stepsPerSecond(typ, batch, 1),
				NeighbourClass: workload.ClassOf(o.name, other), NeighbourStepsPerSecond: keep * o.stepsPerSecond(typ, other, 1),
			})
		}
	}
	return rows
}

// newTrainingJob makes a job of a model drawn evenly among all models and batch sizes
// that can use the GPUs. The duration is in seconds on GPUs of types[0].
func newTrainingJob(r *rand.Rand, gpus int, duration float64, mode workload.BatchMode) workload.Job {
	m, batch := drawModelAndBatch(r, gpus)
	duration = roundUpSeconds(duration)
	speed := m.stepsPerSecond(0, batch, gpus)
	class := workload.ClassOf(m.name, batch)
	j := workload.Job{
		Name: class, Class: class, GPUs: gpus, Duration: duration,
		Training: &workload.Training{Model: m.name, BatchSize: batch, Mode: mode, Steps: int64(math.Ceil(duration * speed))},
		Speeds:   map[string]float64{},
	}
	for typ, name := range gpuTypes {
		j.Speeds[name] = math.Round(1e4*m.stepsPerSecond(typ, batch, gpus)/speed) / 1e4
	}
	return j
}

func drawModelAndBatch(r *rand.Rand, gpus int) (*modelCost, int) {
	for {
		m := &modelCosts[r.IntN(len(modelCosts))]
		if gpus <= m.maxGPUs {
			return m, m.batchSizes[r.IntN(len(m.batchSizes))]
		}
	}
}
