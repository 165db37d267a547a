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
	mu        sync.Mutex
	model     *learn.Model
	distByJob map[learn.Job]*learn.RunTimeDist
}

// maxDists bounds how many distributions are kept, of a kilobyte or two each.
const maxDists = 20_000

func newPredictor(m *learn.Model) *predictor {
	return &predictor{model: m, distByJob: map[learn.Job]*learn.RunTimeDist{}}
}

// predictLeft returns what remains of a job, and its standard error.
func (f *predictor) predictLeft(j *policy.Job) (left, sigma time.Duration) {
	return f.distOf(learn.JobFrom(j)).Left(learn.TimeRun(j))
}

func (f *predictor) distOf(j learn.Job) *learn.RunTimeDist {
	f.mu.Lock()
	defer f.mu.Unlock()
	d := f.distByJob[j]
	if d == nil {
		if len(f.distByJob) >= maxDists {
			clear(f.distByJob)
		}
		d = f.model.RunTimeOf(&j)
		f.distByJob[j] = d
	}
	return d
}
