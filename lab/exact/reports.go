package exact

import (
	"math"

	"fairbridge/policy"
)

// trainingReports are what training jobs tell of themselves.
type trainingReports struct {
	speeds      *speedTable
	reportsPlan bool // they tell their plan; see plannedProfile
}

// newReport sets up what a job tells.
func (r *trainingReports) newReport(j *job) {
	t := &policy.Training{BatchSize: j.batchSize}
	j.trainingReport = t
	if j.Training == nil && j.Speeds == nil {
		t.Rates = []policy.Rate{{StepsPerSecond: 1}}
	} else {
		r.setReportRates(j)
	}
	r.setSharedRates(j)
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
		j.profile = newPlannedProfile(j)
	}
}

func (r *trainingReports) setReportRates(j *job) {
	t := j.trainingReport
	t.Rates = t.Rates[:0]
	for k, typ := range r.speeds.gpuTypes {
		if j.unitRatesByType[k] > 0 {
			t.Rates = append(t.Rates, policy.Rate{Type: typ, StepsPerSecond: j.unitRatesByType[k]})
		}
	}
}

func (r *trainingReports) setSharedRates(j *job) {
	if j.IsShareable && j.Training != nil {
		j.trainingReport.SharedRates = r.speeds.listSharedRates(j)
	}
}

// changeBatchSize gives the job the batch size it asked for. The number of epochs stays:
// those begun count as completed. Without a speed at that size nothing changes.
// It reports whether the job's speeds changed.
func (r *trainingReports) changeBatchSize(j *job) bool {
	if j.wantedBatchSize == j.batchSize {
		return false
	}
	old, next := float64(j.Training.EpochSteps(j.batchSize)), float64(j.Training.EpochSteps(j.wantedBatchSize))
	if !r.speeds.setBatchRates(j, j.wantedBatchSize) {
		j.wantedBatchSize = j.batchSize
		return false
	}
	begun := math.Ceil(j.doneUnits / old)
	epochs := math.Ceil(j.totalUnits / old)
	j.totalUnits = stepsAfterBatchChange(j.totalUnits, j.batchSize, j.wantedBatchSize, epochs, next)
	j.doneUnits = begun * next
	j.batchSize = j.wantedBatchSize
	r.noteRegime(j, begun)
	return true
}

// stepsAfterBatchChange returns the steps in all after a change of the batch size: in
// proportion if that leaves the number of epochs as it is, else whole epochs.
func stepsAfterBatchChange(steps float64, old, batch int, epochs, per float64) float64 {
	if n := math.Ceil(steps * float64(old) / float64(batch)); math.Ceil(n/per) == epochs {
		return n
	}
	return epochs * per
}

// noteRegime notes a change of the batch size after so many epochs.
func (r *trainingReports) noteRegime(j *job, epochs float64) {
	t := j.trainingReport
	if t == nil {
		return
	}
	r.setReportRates(j)
	r.setSharedRates(j)
	before := 0.0
	for _, x := range t.SeenRegimes[:len(t.SeenRegimes)-1] {
		before += x.Epochs
	}
	t.SeenRegimes[len(t.SeenRegimes)-1].Epochs = epochs - before
	t.SeenRegimes = append(t.SeenRegimes, policy.Regime{BatchSize: j.batchSize, SecondsPerEpoch: r.speeds.epochSeconds(j, j.batchSize)})
	t.BatchSize = j.batchSize
}
