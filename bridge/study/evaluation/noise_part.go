package evaluation

// noiseTitle is the heading of the section that has policies told the truth, and less and less of it.
const noiseTitle = "## What wrong predictions cost\n"

// toldAll is what policies are told, from the truth to nothing.
var toldAll = []knowledge{
	{isTrue: true}, {isTrue: true, noiseFactor: 1.2}, {isTrue: true, noiseFactor: 1.5}, {isTrue: true, noiseFactor: 2}, {isTrue: true, noiseFactor: 4}, {}, {isNone: true},
}

// newToldWorkloads returns whole days once for each thing policies are told: all of them where no job
// may be stopped, and elsewhere the truth and what is learnt, which is what targets are judged by.
func newToldWorkloads(o *SlurmTableOptions) ([]*comparedWorkload, error) {
	var all []*comparedWorkload
	for _, told := range toldAll {
		all = append(all, newToldDays(told, "slurm,fairbridge,sjf", 0, 1, 1.5))
	}
	for _, told := range []knowledge{{isTrue: true}, {}} {
		all = append(all, newToldDays(told, "slurm,fairbridge,srtf", 0.5, 1, 1.5), newToldDays(told, "slurm,fairbridge,sjf", 0, 3))
	}
	if o.IsQuick {
		for _, w := range all {
			w.loads, w.seeds, w.draw = w.loads[:1], 2, drawDays(0.02)
		}
	}
	return all, nil
}

// newToldDays returns whole days of which policies are told that.
func newToldDays(told knowledge, policies string, share float64, loads ...float64) *comparedWorkload {
	return &comparedWorkload{title: "Whole days", policies: policies, loads: loads, shares: []float64{share}, seeds: 20, told: told, draw: drawDays(1)}
}
