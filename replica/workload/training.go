package workload

import (
	"fmt"
	"slices"

	"fairbridge/policy"
)

// trainingModel is what the Shockwave artifact (MIT licence; Zheng et al., NSDI 2023)
// says of one of its models.
type trainingModel struct {
	sampleCount        int // of its data set
	minBatch, maxBatch int // batch sizes
}

var modelsByName = map[string]trainingModel{
	"ResNet-18":      {50_000, 16, 256},    // CIFAR-10
	"ResNet-50":      {100_000, 16, 128},   // a subset of ImageNet
	"Transformer":    {10_000, 16, 128},    // Multi30k
	"LM":             {59_675, 5, 80},      // Wikitext-2
	"Recommendation": {117_907, 512, 8192}, // ML-20M
	"CycleGAN":       {6_287, 1, 1},        // monet2photo
	"A3C":            {4, 4, 4},
}

// SampleCount returns the size of the model's data set; 0 for a model that is not
// one of the Shockwave artifact's.
func SampleCount(name string) int { return modelsByName[name].sampleCount }

// EpochSteps returns the steps of one epoch at the batch size; 0 for a model
// whose data set is not known.
func (t *Training) EpochSteps(batch int) int64 {
	n := SampleCount(t.Model)
	if n == 0 || batch <= 0 {
		return 0
	}
	return int64((n + batch - 1) / batch)
}

// EpochCount returns how many epochs the job has at its first batch size; 0 when
// its data set is not known.
func (t *Training) EpochCount() int {
	per := t.EpochSteps(t.BatchSize)
	if per == 0 {
		return 0
	}
	return int((t.Steps + per - 1) / per)
}

// EpochSeconds returns how long an epoch takes at the batch size and speed in
// steps per second.
func (t *Training) EpochSeconds(batch int, speed float64) float64 {
	return float64(SampleCount(t.Model)) / float64(batch) / speed
}

// NextBatch returns the batch size the job asks for in an epoch (counted from 0),
// when it now runs at batch. It is what the job does, not what it planned; see
// Plan.
func (t *Training) NextBatch(epoch, batch, gpus int) int {
	m, known := modelsByName[t.Model]
	if !known || t.BatchSize == m.maxBatch {
		return batch
	}
	switch t.Mode {
	case GNSMode:
		if max(t.noiseScaleBatch(epoch, gpus), t.noiseScaleBatch(epoch+1, gpus)) > batch {
			return min(2*batch, m.maxBatch)
		}
	case AccordionMode:
		if t.Model == "Transformer" {
			return batch
		}
		if !t.isCritical(epoch) {
			return m.maxBatch
		}
		if batch != m.minBatch {
			return t.BatchSize
		}
	}
	return batch
}

// BatchSizes returns the batch sizes the job may come to use, ascending.
func (t *Training) BatchSizes(gpus int) []int {
	sizes := []int{t.BatchSize}
	m, known := modelsByName[t.Model]
	switch {
	case !known || t.BatchSize >= m.maxBatch || t.Model == "Transformer":
	case t.Mode == AccordionMode:
		sizes = append(sizes, m.maxBatch)
	case t.Mode == GNSMode:
		for range noiseScaleDoublingEpochs[noiseScaleKey{t.Model, t.BatchSize, gpus}] {
			sizes = append(sizes, 2*sizes[len(sizes)-1])
		}
	}
	return sizes
}

// SpeedOf returns the steps per second of the class of a job on GPUs of the type,
// or an error that says what the tables lack.
func (t *SpeedTables) SpeedOf(j *Job, typ string, batch int) (float64, error) {
	class := ClassOf(j.Training.Model, batch)
	v, ok := t.StepsAlone(typ, class, j.GPUs)
	if !ok || v <= 0 {
		return 0, fmt.Errorf("%s: no speed of %s with %s of type %s in the throughput tables", j.Location(), class, policy.FormatCount(j.GPUs, "GPU"), typ)
	}
	return v, nil
}

// PlannedRegimes returns the regimes the job plans to go through alone on GPUs of the
// type, in order, each with its seconds per epoch. It is what policies with an
// oracle see, and its sum is the exclusive run time of the Shockwave harness.
func PlannedRegimes(j *Job, t *SpeedTables, typ string) ([]policy.Regime, error) {
	var plan []policy.Regime
	p := newBatchPlan(j.Training, j.GPUs)
	for epoch := range p.epochCount {
		batch := p.batchAt(epoch)
		if n := len(plan); n > 0 && plan[n-1].BatchSize == batch {
			plan[n-1].Epochs++
			continue
		}
		speed, err := t.SpeedOf(j, typ, batch)
		if err != nil {
			return nil, err
		}
		plan = append(plan, policy.Regime{BatchSize: batch, Epochs: 1, SecondsPerEpoch: j.Training.EpochSeconds(batch, speed)})
	}
	return slices.Clip(plan), nil
}

// SumPlannedSeconds returns the seconds of a plan.
func SumPlannedSeconds(plan []policy.Regime) float64 {
	sum := 0.0
	for _, r := range plan {
		for range int(r.Epochs) {
			sum += r.SecondsPerEpoch
		}
	}
	return sum
}
