package evaluation

import "fairbridge/bridge/study/evaluation/targets"

// frontTitle is the heading of the section that sets mean completion against fairness.
const frontTitle = "## Mean completion against fairness\n"

// The policies of that section: those in words of both, and fairbridge with parameters of its own where
// they make a difference. Without stops, the order by expected length has no fair finish.
const (
	frontPolicies       = "slurm,fairbridge,srtf,sjf,shockwave,themis,fifo,easy"
	frontWithoutStops   = frontPolicies + ",fairbridge:max_wait=6h,fairbridge:max_wait=0s"
	frontWithStops      = frontPolicies + ",fairbridge:fair=0.5,fairbridge:fair=2,fairbridge:fair=4,fairbridge:max_wait=6h"
	quickFrontPolicies  = "slurm,fairbridge,fairbridge:fair=4,sjf"
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
