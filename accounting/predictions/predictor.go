package predictions

import (
	"sync"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/learn"
)

// predictor predicts from a model, and remembers the distributions of the jobs
// it was asked about: the next cycle asks about nearly the same ones.
type predictor struct {
	mu                sync.Mutex
	model             *learn.Model
	distributionByJob map[learn.Job]*learn.RunTimeDist
}

// maxKeptDistributions bounds how many distributions are kept, of a kilobyte or two each.
const maxKeptDistributions = 20_000

func newPredictor(m *learn.Model) *predictor {
	return &predictor{model: m, distributionByJob: map[learn.Job]*learn.RunTimeDist{}}
}

// predictLeft returns what remains of a job, and its standard error.
func (f *predictor) predictLeft(j *policy.Job) (left, sigma time.Duration) {
	return f.distributionOf(learn.JobFromPolicy(j)).MedianLeft(j.TotalRunTime())
}

func (f *predictor) distributionOf(j learn.Job) *learn.RunTimeDist {
	f.mu.Lock()
	defer f.mu.Unlock()
	d := f.distributionByJob[j]
	if d == nil {
		if len(f.distributionByJob) >= maxKeptDistributions {
			clear(f.distributionByJob)
		}
		d = f.model.RunTimeDistOf(&j)
		f.distributionByJob[j] = d
	}
	return d
}
