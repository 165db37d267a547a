package rounds

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"fairbridge/policy/engine"
)

// Solve returns which fraction of the time, 0 to 1, each of r.Entries should
// run on each of the types: X[i][k]. A row of nil is all zeros.
type Solve func(r *engine.Round, types []string) (x [][]float64, err error)

// Turns is the stage: an Orderer and the Leaser that goes with it, and a Sizer
// for Wait, for one Decide.
type Turns struct {
	// Round is how long a round is thought to last; a job is compared as if it
	// had received half of one.
	Round time.Duration
	// Least is the least time between two computations of the fractions. They
	// are computed when a job arrived, ended, or had a lease and did not run.
	Least time.Duration
	// Adapt: they are also computed when a job changed its batch size. The
	// published simulators do not.
	Adapt bool
	// Wait lets jobs that arrived since the last computation wait for the next
	// one even where GPUs idle, as the published simulators do. Pipeline.Size
	// must then be the Turns, too.
	Wait  bool
	Solve Solve
	Book  Book // as remembered; Order replaces it

	ranks [][]ranked // by type, first served first; valid after Order
}

type ranked struct {
	row                  int
	priority, owed, part float64
}

// Order implements engine.Orderer: by the best priority on any type.
func (t *Turns) Order(r *engine.Round) ([]*engine.Entry, error) {
	half := t.Round.Seconds() / 2
	t.Book = t.Book.next(r, half, t.Adapt)
	b := &t.Book
	if since := b.since(r); b.Stale && (since >= t.Least.Seconds() || b.Solved.Equal(b.First)) {
		if err := t.solve(r, since, half); err != nil {
			return nil, err
		}
	}
	t.ranks = make([][]ranked, len(b.Types))
	for k := range b.Types {
		t.ranks[k] = b.rank(k)
	}
	return t.line(r), nil
}

// since returns the seconds since the fractions were computed. Jobs that are owed
// the same but for rounding are told apart by it, so it is as exact as it can be.
func (b *Book) since(r *engine.Round) float64 {
	if r.Clock > 0 {
		return r.Clock - b.Clock
	}
	return r.Now.Sub(b.Solved).Seconds()
}

// Size implements engine.Sizer: what the jobs have or ask, and nothing for those
// that Wait.
func (t *Turns) Size(_ *engine.Round, line []*engine.Entry) ([]int, error) {
	want := make([]int, len(line))
	for i, e := range line {
		if want[i] = e.Size(); t.Wait && !e.Active() && t.Book.isNew(e.Index) {
			want[i] = 0
		}
	}
	return want, nil
}

// isNew reports whether the job has no fractions yet.
func (b *Book) isNew(row int) bool { return len(b.Types) > 0 && b.X[row*len(b.Types)] < 0 }

// solve closes the period and begins the next one with new fractions.
func (t *Turns) solve(r *engine.Round, elapsed, half float64) error {
	b := &t.Book
	x, err := t.Solve(r, b.Types)
	if err != nil {
		return err
	}
	if len(x) != len(b.Jobs) {
		return fmt.Errorf("%d rows of fractions for %d jobs", len(x), len(b.Jobs))
	}
	w := len(b.Types)
	clear(b.Total)
	for i := range b.Jobs {
		if x[i] != nil && len(x[i]) != w {
			return fmt.Errorf("job %d: %d fractions for %d GPU types", b.Jobs[i], len(x[i]), w)
		}
		for k := range w {
			at := i*w + k
			b.Owed[at] += max(b.X[at], 0)*elapsed - (b.Time[at] - half)
			b.Time[at], b.X[at] = half, 0
			b.Total[k] += half
			if x[i] != nil {
				b.X[at] = x[i][k]
			}
		}
	}
	b.Solved, b.Clock, b.Stale = r.Now, r.Clock, false
	return nil
}

// rank puts the jobs in order for one type.
func (b *Book) rank(k int) []ranked {
	w, all := len(b.Types), make([]ranked, len(b.Jobs))
	for i := range all {
		at := i*w + k
		x := max(b.X[at], 0)
		all[i] = ranked{i, priority(x, b.Time[at], b.Total[k]), b.Owed[at], x}
	}
	slices.SortFunc(all, func(x, y ranked) int { return cmp.Or(x.compare(y), cmp.Compare(x.row, y.row)) })
	return all
}

// priority is the fraction due over the fraction received.
func priority(x, time, total float64) float64 {
	switch {
	case x == 0:
		return 0
	case total <= 0 || time/total == 0:
		return x * 1e9
	}
	return x / (time / total)
}

// compare puts first what is served first.
func (x ranked) compare(y ranked) int {
	switch {
	case x.priority != y.priority:
		return cmp.Compare(y.priority, x.priority)
	case x.owed != y.owed:
		return cmp.Compare(y.owed, x.owed)
	}
	return cmp.Compare(y.part, x.part)
}

// line merges the ranks of the types.
func (t *Turns) line(r *engine.Round) []*engine.Entry {
	line := make([]*engine.Entry, 0, len(r.Entries))
	if len(t.ranks) == 1 {
		for _, x := range t.ranks[0] {
			line = append(line, r.Entries[x.row])
		}
		return line
	}
	best := make([]ranked, len(r.Entries))
	for i := range best {
		best[i].row = i
	}
	for k, rank := range t.ranks {
		for _, x := range rank {
			if k == 0 || x.compare(best[x.row]) < 0 {
				best[x.row] = x
			}
		}
	}
	slices.SortFunc(best, func(x, y ranked) int { return cmp.Or(x.compare(y), cmp.Compare(x.row, y.row)) })
	for _, x := range best {
		line = append(line, r.Entries[x.row])
	}
	return line
}
