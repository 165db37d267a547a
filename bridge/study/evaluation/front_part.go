package evaluation

import "fairbridge/bridge/study/evaluation/targets"

// frontTitle is the heading of the section that sets mean completion against fairness.
const frontTitle = "## Mean completion against fairness\n"

// The policies of that section, fairbridge with parameters of its own where they make a difference: without
// stops its line by expected length knows no fair finish. There srtf is sjf, and where all jobs may be
// stopped fifo, easy and multifactor are what they are without stops.
const (
	frontWithoutStops  = "slurm,fairbridge,fairbridge:max_wait=6h,sjf,tiresias,shockwave,themis,fifo,easy,multifactor"
	frontWithStops     = "slurm,fairbridge,fairbridge:fair=0.5,fairbridge:fair=4,srtf,sjf,tiresias,shockwave,themis"
	quickFrontPolicies = "slurm,fairbridge,fairbridge:fair=4,sjf"
)

// Load and quick seeds of that section.
const (
	frontLoad           = 1.5
	quickFrontSeedCount = 3
)

// frontFigures are the figures of a row: by the first two a policy is on the front or not.
var frontFigures = []*targets.Figure{targets.MeanCompletion, targets.WorstBelowShare, targets.LongestWaits, targets.WorstRho}

// newFrontWorkloads returns whole days of which no job may be stopped, and of which all may.
func newFrontWorkloads(o *SlurmTableOptions) ([]*comparedWorkload, error) {
	none := &comparedWorkload{title: "Whole days", policies: frontWithoutStops, loads: []float64{frontLoad}, shares: []float64{0}, seeds: 20, draw: drawDays(1)}
	all := &comparedWorkload{title: "Whole days", policies: frontWithStops, loads: []float64{frontLoad}, shares: []float64{1}, seeds: 20, draw: drawDays(1)}
	if o.IsQuick {
		for _, w := range []*comparedWorkload{none, all} {
			w.policies, w.seeds, w.draw = quickFrontPolicies, quickFrontSeedCount, drawDays(0.02)
		}
	}
	return []*comparedWorkload{none, all}, nil
}
