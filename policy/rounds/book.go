package rounds

import (
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
)

// Book is what is remembered between rounds. It is a value: Turns replaces it
// and changes nothing in the old one. Rows are by job, columns by GPU type.
type Book struct {
	First    time.Time      `json:"first"`           // when the book was begun
	Solved   time.Time      `json:"solved"`          // when the fractions were computed
	Clock    float64        `json:"clock,omitempty"` // the same more exactly, where it is known
	Stale    bool           `json:"stale"`           // something happened since then
	Types    []string       `json:"types"`
	Total    []float64      `json:"total"` // seconds all jobs received since Solved, by type
	Jobs     []policy.JobID `json:"jobs"`  // sorted
	X        []float64      `json:"x"`     // fractions, row by row; -1 for who arrived since Solved
	Time     []float64      `json:"time"`  // seconds received since Solved; half a round to begin with
	Owed     []float64      `json:"owed"`  // seconds due but not received before Solved
	Attained []float64      `json:"attained"`
	Batch    []int          `json:"batch"` // batch size, for jobs that report one
	Last     []int          `json:"last"`  // type of the lease of the last round, from 1; 0: none
}

// next returns the book with a row for each entry of the round, and what the
// jobs received since the last one.
func (b *Book) next(r *engine.Round, half float64, adapt bool) Book {
	n, types := len(r.Entries), r.Types()
	w := len(types)
	c := Book{
		First: b.First, Solved: b.Solved, Clock: b.Clock, Stale: b.Stale, Types: types, Total: make([]float64, w),
		Jobs: make([]policy.JobID, n), Attained: make([]float64, n), Batch: make([]int, n), Last: make([]int, n),
	}
	all := make([]float64, 3*n*w)
	c.X, c.Time, c.Owed = all[:n*w:n*w], all[n*w:2*n*w:2*n*w], all[2*n*w:]
	same := slices.Equal(types, b.Types)
	if same {
		copy(c.Total, b.Total)
	}
	if b.First.IsZero() || !same {
		c.First, c.Solved, c.Clock, c.Stale = r.Now, r.Now, r.Clock, true
	}
	found, hint := 0, 0
	for i, e := range r.Entries {
		c.Jobs[i], c.Attained[i] = e.ID, float64(e.Attained)
		if e.Training != nil {
			c.Batch[i] = e.Training.Batch
		}
		was := -1
		if same {
			was, hint = b.find(e.ID, hint)
		}
		if was < 0 {
			c.begin(i, half)
			continue
		}
		found++
		c.carry(i, b, was, e)
		c.Stale = c.Stale || adapt && c.Batch[i] != b.Batch[was]
	}
	c.Stale = c.Stale || found < len(b.Jobs)
	return c
}

// find returns the place of a job in the book, -1 if it is new, for ids that
// come in ascending order, and where to look for the next one.
func (b *Book) find(id policy.JobID, from int) (row, next int) {
	for from < len(b.Jobs) && b.Jobs[from] < id {
		from++
	}
	if from < len(b.Jobs) && b.Jobs[from] == id {
		return from, from + 1
	}
	return -1, from
}

// begin gives a new job half a round, so that it can be compared.
func (b *Book) begin(i int, half float64) {
	w := len(b.Types)
	for k := range w {
		b.X[i*w+k], b.Time[i*w+k] = -1, half
		b.Total[k] += half
	}
	b.Stale = true
}

// carry takes a row over and adds what the job received.
func (b *Book) carry(i int, old *Book, was int, e *engine.Entry) {
	w := len(b.Types)
	copy(b.X[i*w:i*w+w], old.X[was*w:])
	copy(b.Time[i*w:i*w+w], old.Time[was*w:])
	copy(b.Owed[i*w:i*w+w], old.Owed[was*w:])
	got := received(e, old.Attained[was])
	if k := b.ranOn(e, old.Last[was]); k >= 0 {
		b.Time[i*w+k] += got
		b.Total[k] += got
	}
	if old.Last[was] > 0 && got == 0 {
		b.Stale = true
	}
}

// received returns the seconds the job ran since the last round.
func received(e *engine.Entry, attained float64) float64 {
	if g := e.Ask.GPUs.Whole(); g > 0 {
		return float64(e.Received(policy.GPUSeconds(attained))) / g
	}
	return 0
}

// ranOn returns the column of the type the job ran on; -1: none.
func (b *Book) ranOn(e *engine.Entry, last int) int {
	if len(e.On) > 0 {
		return slices.Index(b.Types, e.On.Type())
	}
	return last - 1
}
