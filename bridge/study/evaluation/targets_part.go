package evaluation

import (
	"fmt"

	"fairbridge/bridge/study/evaluation/targets"
)

// targetsTitle is the heading of the section that judges the default policy.
const targetsTitle = "## The default policy against its targets\n"

// judgedPolicy is the default policy, which is judged.
const judgedPolicy = "fairbridge"

// uninformedJobs is how many jobs of which nothing can be known a seed draws.
const uninformedJobs = 300

// newJudgedWorkloads returns the days and windows of the other parts, whose runs it shares, with days
// at one more load, and jobs that carry no information.
func newJudgedWorkloads(o *SlurmTableOptions) ([]*comparedWorkload, error) {
	all := []*comparedWorkload{
		{
			title: "Whole days", judgedAs: targets.Days, policies: "slurm,fairbridge",
			loads: []float64{0.7, 1, 1.5, 3}, shares: []float64{0, 0.5, 1}, seeds: 20, draw: drawDays(1),
		},
		{
			title: "Jobs that carry no information", judgedAs: targets.Uninformed, policies: "slurm,fairbridge,multifactor",
			loads: []float64{0.7, 1.5}, shares: []float64{0}, seeds: 20, draw: drawUninformed(uninformedJobs),
			about: fmt.Sprintf("%d jobs a seed, each of an owner and a name of its own, all with one time limit, whose run times depend on nothing.", uninformedJobs),
		},
	}
	windows, err := newWindows(o)
	if err != nil {
		return nil, err
	}
	for _, w := range windows {
		w.policies, w.judgedAs = "slurm,fairbridge", targets.Windows
		all = append(all, w)
	}
	if o.IsQuick {
		for _, w := range all {
			w.makeQuick()
		}
	}
	return all, nil
}
