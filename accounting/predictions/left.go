package predictions

import (
	"sync"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/learn"
)

// foresight predicts from a model, and remembers the distributions of the jobs
// it was asked about: the next cycle asks about nearly the same ones.
type foresight struct {
	mu    sync.Mutex
	model *learn.Model
	known map[learn.Job]*learn.Dist
}

// remembered bounds how many distributions are kept, of a kilobyte or two each.
const remembered = 20_000

func newForesight(m *learn.Model) *foresight {
	return &foresight{model: m, known: map[learn.Job]*learn.Dist{}}
}

// left returns what remains of a job, and its standard error.
func (f *foresight) left(j *policy.Job) (left, sigma time.Duration) {
	return f.of(learn.JobFrom(j)).Left(learn.Ran(j))
}

func (f *foresight) of(j learn.Job) *learn.Dist {
	f.mu.Lock()
	defer f.mu.Unlock()
	d := f.known[j]
	if d == nil {
		if len(f.known) >= remembered {
			clear(f.known)
		}
		d = f.model.Of(&j)
		f.known[j] = d
	}
	return d
}
