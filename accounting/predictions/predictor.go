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
	mu    sync.Mutex
	model *learn.Model
	dists map[learn.Job]*learn.Dist
}

// maxDists bounds how many distributions are kept, of a kilobyte or two each.
const maxDists = 20_000

func newPredictor(m *learn.Model) *predictor {
	return &predictor{model: m, dists: map[learn.Job]*learn.Dist{}}
}

// left returns what remains of a job, and its standard error.
func (f *predictor) left(j *policy.Job) (left, sigma time.Duration) {
	return f.dist(learn.JobFrom(j)).Left(learn.Ran(j))
}

func (f *predictor) dist(j learn.Job) *learn.Dist {
	f.mu.Lock()
	defer f.mu.Unlock()
	d := f.dists[j]
	if d == nil {
		if len(f.dists) >= maxDists {
			clear(f.dists)
		}
		d = f.model.Of(&j)
		f.dists[j] = d
	}
	return d
}
