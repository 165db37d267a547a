package evaluation

// noiseTitle is the heading of the section that has policies told the truth, and less and less of it.
const noiseTitle = "## What wrong predictions cost\n"

// What policies are told, from the truth to nothing.
var (
	toldTruth   = knowledge{isTrue: true}
	toldLearnt  = knowledge{}
	toldNothing = knowledge{isNone: true}
)

// toldNoise is the truth, off by the factor.
func toldNoise(factor float64) knowledge { return knowledge{isTrue: true, noiseFactor: factor} }

// newToldWorkloads returns whole days once for each thing policies are told: most things where no job
// may be stopped, and elsewhere what the targets there take. What sjf makes of the same shows what it costs
// fairbridge to weigh accounts.
func newToldWorkloads(o *SlurmTableOptions) ([]*comparedWorkload, error) {
	const ours, both = "slurm,fairbridge", "slurm,fairbridge,sjf"
	all := []*comparedWorkload{
		newToldDays(toldTruth, both, 0, 1, 1.5, 3),
		newToldDays(toldNoise(1.2), ours, 0, 1.5),
		newToldDays(toldNoise(1.5), ours, 0, 1.5),
		newToldDays(toldNoise(2), ours, 0, 1),
		newToldDays(toldNoise(2), both, 0, 1.5),
		newToldDays(toldNoise(4), ours, 0, 1, 1.5),
		newToldDays(toldLearnt, both, 0, 1, 1.5, 3),
		newToldDays(toldNothing, ours, 0, 1),
		newToldDays(toldNothing, both, 0, 1.5),
		newToldDays(toldTruth, ours, 0.5, 1, 1.5),
		newToldDays(toldLearnt, "slurm,fairbridge,srtf", 0.5, 1, 1.5),
	}
	if o.IsQuick {
		for _, w := range all {
			w.seeds, w.draw = 2, drawDays(0.01)
		}
	}
	return all, nil
}

// newToldDays returns whole days of which policies are told that.
func newToldDays(told knowledge, policies string, share float64, loads ...float64) *comparedWorkload {
	return &comparedWorkload{title: "Whole days", policies: policies, loads: loads, shares: []float64{share}, seeds: 20, told: told, draw: drawDays(1)}
}
