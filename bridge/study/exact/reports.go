package exact

import (
	"math"

	"fairbridge/policy"
)

// trainingReports are what training jobs tell of themselves.
type trainingReports struct {
	speeds      *speedTable
	reportsPlan bool // they tell their plan; see profile
}

// newReport sets up what a job tells.
func (r *trainingReports) newReport(j *job) {
	t := &policy.Training{BatchSize: j.batchSize}
	j.report = t
	if j.Training == nil && j.Speeds == nil {
		t.Rates = []policy.Rate{{StepsPerSecond: 1}}
	} else {
		r.setRates(j)
	}
	r.setNeighbours(j)
	if j.plannedRegimes == nil {
		return
	}
	t.SeenRegimes = []policy.Regime{{BatchSize: j.batchSize, SecondsPerEpoch: r.speeds.epochSeconds(j, j.batchSize)}}
	for _, b := range j.Training.BatchSizes(j.GPUs) {
		if s := r.speeds.epochSeconds(j, b); s > 0 {
			t.PossibleRegimes = append(t.PossibleRegimes, policy.Regime{BatchSize: b, SecondsPerEpoch: s})
		}
	}
	if r.reportsPlan {
		j.profile = newProfile(j)
	}
}

func (r *trainingReports) setRates(j *job) {
	t := j.report
	t.Rates = t.Rates[:0]
	for k, typ := range r.speeds.gpuTypes {
		if j.unitRatesByType[k] > 0 {
			t.Rates = append(t.Rates, policy.Rate{Type: typ, StepsPerSecond: j.unitRatesByType[k]})
		}
	}
}

func (r *trainingReports) setNeighbours(j *job) {
	if j.Shareable && j.Training != nil {
		j.report.SharedRates = r.speeds.neighbours(j)
	}
}

// changeBatch gives the job the batch size it asked for. The number of epochs stays:
// those begun count as completed. Without a speed at that size nothing changes.
// It reports whether the job's speeds changed.
func (r *trainingReports) changeBatch(j *job) bool {
	if j.wantedBatchSize == j.batchSize {
		return false
	}
	old, next := float64(j.Training.EpochSteps(j.batchSize)), float64(j.Training.EpochSteps(j.wantedBatchSize))
	if !r.speeds.setRatesAt(j, j.wantedBatchSize) {
		j.wantedBatchSize = j.batchSize
		return false
	}
	begun := math.Ceil(j.doneUnits / old)
	epochs := math.Ceil(j.totalUnits / old)
	j.totalUnits = stepsAfterChange(j.totalUnits, j.batchSize, j.wantedBatchSize, epochs, next)
	j.doneUnits = begun * next
	j.batchSize = j.wantedBatchSize
	r.noteRegime(j, begun)
	return true
}

// stepsAfterChange returns the steps in all after a change of the batch size: in
// proportion if that leaves the number of epochs as it is, else whole epochs.
func stepsAfterChange(steps float64, old, batch int, epochs, per float64) float64 {
	if n := math.Ceil(steps * float64(old) / float64(batch)); math.Ceil(n/per) == epochs {
		return n
	}
	return epochs * per
}

// noteRegime notes a change of the batch size after so many epochs.
func (r *trainingReports) noteRegime(j *job, epochs float64) {
	t := j.report
	if t == nil {
		return
	}
	r.setRates(j)
	r.setNeighbours(j)
	before := 0.0
	for _, x := range t.SeenRegimes[:len(t.SeenRegimes)-1] {
		before += x.Epochs
	}
	t.SeenRegimes[len(t.SeenRegimes)-1].Epochs = epochs - before
	t.SeenRegimes = append(t.SeenRegimes, policy.Regime{BatchSize: j.batchSize, SecondsPerEpoch: r.speeds.epochSeconds(j, j.batchSize)})
	t.BatchSize = j.batchSize
}
