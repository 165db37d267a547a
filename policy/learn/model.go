package learn

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// Version of the method: a stored model of another one is fitted again.
const Version = 1

// Model is what was learnt. It is not changed by being asked.
type Model struct {
	Version int       `json:"version"`
	From    time.Time `json:"from"`    // start of the first run it was fitted from
	Through time.Time `json:"through"` // end of the last
	Runs    int       `json:"runs"`    // how many
	Levels  []Level   `json:"levels"`  // the most general first
}

// Level is one way to group jobs, and what is known of each group.
type Level struct {
	Name string `json:"name"`
	fitted
	Groups []*group `json:"groups"` // by key, once Settle was called

	index map[key]*group
}

// New returns a model that knows nothing.
func New() *Model {
	m := &Model{Version: Version, Levels: make([]Level, len(kinds))}
	for i := range kinds {
		m.Levels[i] = Level{Name: kinds[i].name, fitted: kinds[i].start, index: map[key]*group{}}
	}
	return m
}

// Add counts one more run. Runs are to be added in the order in which they end.
func (m *Model) Add(r *Run) {
	seconds, limit := r.seconds(), r.Limit.Seconds()
	if !(seconds > 0) {
		return
	}
	for i := range kinds {
		k, l := &kinds[i], &m.Levels[i]
		at, ok := k.of(&r.Job)
		if !ok {
			continue
		}
		g := l.index[at]
		if g == nil {
			g = &group{Key: at}
			l.index[at] = g
			l.Groups = append(l.Groups, g)
		}
		g.add(k.at(seconds, limit), k.keep)
		g.Last = r.End.Unix()
	}
	if m.From.IsZero() || r.Start.Before(m.From) {
		m.From = r.Start.UTC()
	}
	if r.End.After(m.Through) {
		m.Through = r.End.UTC()
	}
	m.Runs++
}

// Of returns the distribution of the run time of a job.
func (m *Model) Of(j *Job) *Dist {
	d := &Dist{limit: j.Limit.Seconds()}
	var groups [levels]*group
	var shares [levels]float64
	rest := 1.0
	for i := len(m.Levels) - 1; i >= 0; i-- {
		at, ok := kinds[i].of(j)
		if !ok {
			continue
		}
		if g := m.Levels[i].index[at]; g != nil {
			s := m.Levels[i].share(g.Runs)
			groups[i], shares[i] = g, rest*s
			rest *= 1 - s
		}
	}
	for b, p := range prior {
		d.mass[b] = p * rest
	}
	var k kernel
	for i, g := range groups {
		if g == nil || shares[i] < rare {
			continue
		}
		by := 0
		if kinds[i].ratio {
			by = shift(d.limit)
		}
		k.setSigma(sigma(m.Levels[i].Width, g.Runs))
		k.spread(&d.mass, g, shares[i], by)
	}
	return d
}

// Settle brings the model into the form in which it is stored: groups sorted,
// of each level only the most that ran last. After it, the model and what is
// read back from its JSON predict the same.
func (m *Model) Settle(most int) {
	for i := range m.Levels {
		l := &m.Levels[i]
		slices.SortFunc(l.Groups, func(a, b *group) int { return cmp.Or(cmp.Compare(b.Last, a.Last), a.Key.compare(b.Key)) })
		if most > 0 && len(l.Groups) > most {
			l.Groups = slices.Clone(l.Groups[:most])
		}
		slices.SortFunc(l.Groups, func(a, b *group) int { return a.Key.compare(b.Key) })
		clear(l.index)
		for _, g := range l.Groups {
			g.settle()
			l.index[g.Key] = g
		}
	}
}

// Parse reads a stored model. It fails on one of another version, or with
// levels, groups or numbers that cannot be.
func Parse(text []byte) (*Model, error) {
	m := &Model{}
	dec := json.NewDecoder(bytes.NewReader(text))
	if err := dec.Decode(m); err != nil {
		return nil, fmt.Errorf("reading a model of run times: %w", err)
	}
	if m.Version != Version || len(m.Levels) != len(kinds) {
		return nil, fmt.Errorf("a model of run times of version %d with %d levels; this release reads version %d with %d: fit it again", m.Version, len(m.Levels), Version, len(kinds))
	}
	for i := range m.Levels {
		if err := m.Levels[i].open(kinds[i].name); err != nil {
			return nil, fmt.Errorf("a model of run times, level %d: %w", i+1, err)
		}
	}
	return m, nil
}

// open checks a level that was read and indexes its groups.
func (l *Level) open(name string) error {
	if l.Name != name || !l.sane() {
		return fmt.Errorf("%q with numbers %+v; want %q and positive ones", l.Name, l.fitted, name)
	}
	l.index = make(map[key]*group, len(l.Groups))
	for _, g := range l.Groups {
		if !g.sane() || l.index[g.Key] != nil {
			return fmt.Errorf("group %+v is given twice or its runs and bins do not match", g.Key)
		}
		g.unit = 1
		l.index[g.Key] = g
	}
	return nil
}
