package workload

import (
	"time"
)

// noiseScaleKey is a job that adapts to the gradient noise scale.
type noiseScaleKey struct {
	model           string
	batchSize, gpus int
}

// noiseScaleDoublingEpochs says from which epochs such a job doubles its batch size, once
// each: the noise scale of Pollux (Qiao et al., OSDI 2021) as measured by the
// authors of Shockwave (its artifact, MIT licence). Jobs that are not named
// keep their batch size.
var noiseScaleDoublingEpochs = map[noiseScaleKey][]int{
	{"ResNet-18", 16, 1}:        {31, 41, 51, 71},
	{"ResNet-18", 16, 2}:        {21, 31, 91, 111},
	{"ResNet-18", 16, 4}:        {11, 21, 81, 91},
	{"ResNet-18", 32, 1}:        {21, 31, 51},
	{"ResNet-18", 32, 2}:        {11, 21, 41},
	{"ResNet-18", 32, 4}:        {21, 31, 61},
	{"ResNet-18", 64, 1}:        {11, 31},
	{"ResNet-18", 64, 2}:        {21, 41},
	{"ResNet-18", 64, 4}:        {11, 61},
	{"ResNet-18", 128, 1}:       {11},
	{"ResNet-18", 128, 2}:       {41},
	{"ResNet-18", 128, 4}:       {11},
	{"ResNet-50", 32, 2}:        {101, 111},
	{"ResNet-50", 32, 4}:        {131, 221},
	{"ResNet-50", 64, 1}:        {101},
	{"ResNet-50", 64, 2}:        {81},
	{"ResNet-50", 64, 4}:        {191},
	{"LM", 5, 1}:                {31, 41, 61, 71},
	{"LM", 5, 2}:                {31, 51, 61, 71},
	{"LM", 5, 4}:                {11, 31, 71, 91},
	{"LM", 10, 1}:               {11, 21, 41},
	{"LM", 10, 2}:               {11, 31, 41},
	{"LM", 10, 4}:               {11, 31, 61},
	{"LM", 20, 1}:               {11, 41},
	{"LM", 20, 2}:               {31, 41},
	{"LM", 20, 4}:               {11, 61},
	{"LM", 40, 1}:               {11},
	{"LM", 40, 2}:               {11},
	{"LM", 40, 4}:               {61},
	{"Recommendation", 512, 1}:  {21, 41, 71, 91},
	{"Recommendation", 1024, 1}: {21, 51, 91},
	{"Recommendation", 2048, 1}: {21, 41},
	{"Recommendation", 4096, 1}: {41},
}

// noiseScaleBatch returns the batch size that the noise scale allows in an epoch.
func (t *Training) noiseScaleBatch(epoch, gpus int) int {
	return doubledBatch(t.BatchSize, epoch, noiseScaleDoublingEpochs[noiseScaleKey{t.Model, t.BatchSize, gpus}])
}

// doubledBatch doubles a batch size once for every step up to the epoch.
func doubledBatch(batch, epoch int, steps []int) int {
	for _, from := range steps {
		if epoch >= from {
			batch *= 2
		}
	}
	return batch
}

// isCritical reports whether the gradient changes so fast in the epoch that
// Accordion (Agarwal et al., MLSys 2021) keeps to the original batch size.
func (t *Training) isCritical(epoch int) bool {
	switch t.Model {
	case "LM":
		return epoch < 10
	case "ResNet-50":
		return epoch%30 < 10
	case "ResNet-18":
		first := 10
		if t.BatchSize == 256 {
			first = 20
		}
		return epoch < first || isWithinTenEpochs(epoch, 150) || isWithinTenEpochs(epoch, 250)
	case "Recommendation":
		return epoch < criticalRecommendationEpochs(t.BatchSize)
	}
	return true
}

// criticalRecommendationEpochs is the length of the model's first critical regime.
func criticalRecommendationEpochs(batch int) int {
	switch batch {
	case 512, 1024:
		return 30
	case 2048:
		return 40
	}
	return 10
}

// isWithinTenEpochs reports whether the epoch is one of the ten from the first.
func isWithinTenEpochs(epoch, first int) bool { return epoch >= first && epoch < first+10 }

// batchPlan is a training job with what its plan depends on.
type batchPlan struct {
	*Training
	epochCount     int
	maxBatch       int   // the model's largest batch size
	doublingEpochs []int // epochs from which it doubles
}

func newBatchPlan(t *Training, gpus int) batchPlan {
	return batchPlan{t, t.EpochCount(), modelsByName[t.Model].maxBatch, noiseScaleDoublingEpochs[noiseScaleKey{t.Model, t.BatchSize, gpus}]}
}

// batchAt returns the batch size of an epoch in the job's plan, which is not
// quite what it does: Accordion plans with the original one through the first
// 30 % of the epochs and for two more critical regimes, and the noise scale
// plans with it in the last epoch if it doubles more than once.
func (p *batchPlan) batchAt(epoch int) int {
	t := p.Training
	if t.Mode == GNSMode {
		if b := doubledBatch(t.BatchSize, epoch, p.doublingEpochs); epoch < p.epochCount-1 || b <= 2*t.BatchSize {
			return b
		}
		return t.BatchSize
	}
	switch {
	case t.Mode != AccordionMode || t.Model == "Transformer" || t.isCritical(epoch):
	case float64(epoch) <= 0.3*float64(p.epochCount):
	case t.Model == "Recommendation" && (isWithinTenEpochs(epoch, 60) || isWithinTenEpochs(epoch, 80)):
	default:
		return max(p.maxBatch, t.BatchSize)
	}
	return t.BatchSize
}

// Start is when workloads start, for policies, which know calendar time.
var Start = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)

// CalendarTimeAt returns the calendar time of a moment of a workload, in seconds since its start.
func CalendarTimeAt(seconds float64) time.Time {
	return Start.Add(time.Duration(seconds * float64(time.Second)))
}
