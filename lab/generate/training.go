package generate

import (
	"math"
	"math/rand/v2"

	"fairbridge/replica/workload"
)

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
