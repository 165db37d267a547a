package harmony

import (
	"fmt"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/interference"
	"fairbridge/policy/solve/ridge"
)

const (
	// mostClasses is how many classes are told apart; jobs of others are what the mean job is.
	mostClasses = 12
	// leastSeen is how many measurements a class needs before the mean of all does not stand for it, and how
	// many all need before the prior does not.
	leastSeen = 5
)

// model is what was measured of jobs beside others, by class. It is not changed once it is remembered.
type model struct {
	Classes []string     `json:"classes,omitempty"` // in the order in which they were first measured or met
	Rows    []ridge.Sums `json:"rows,omitempty"`    // of each class, by what others of each class held beside it
	All     ridge.Sums   `json:"all"`               // of all classes, by what others held in all
}

// classOf is what jobs are taken for alike by: the model family that they declare, else how busy their GPUs are.
func classOf(j *policy.Job) string {
	if j.Class != "" {
		return j.Class
	}
	if c, known := interference.ClassOf(j); known {
		return c.String() + " GPU use"
	}
	return "unknown"
}

// indexOf returns the place of a class; -1: it is none of those that are told apart.
func (m *model) indexOf(class string) int { return slices.Index(m.Classes, class) }

// withClass returns the model with a class, if there is room for one more.
func (m model) withClass(class string) model {
	if m.indexOf(class) < 0 && len(m.Classes) < mostClasses {
		m.Classes = append(slices.Clone(m.Classes), class)
		m.Rows = append(slices.Clone(m.Rows), ridge.Sums{})
	}
	return m
}

// check says what is wrong with a model that was read.
func (m *model) check() error {
	if len(m.Classes) != len(m.Rows) || len(m.Classes) > mostClasses {
		return fmt.Errorf("%d classes have %d rows of at most %d", len(m.Classes), len(m.Rows), mostClasses)
	}
	for i := range m.Rows {
		if len(m.Rows[i].XY) > len(m.Classes) {
			return fmt.Errorf("class %s has sums for %d classes of %d", m.Classes[i], len(m.Rows[i].XY), len(m.Classes))
		}
		if err := m.Rows[i].Check(); err != nil {
			return fmt.Errorf("class %s has %w", m.Classes[i], err)
		}
	}
	if len(m.All.XY) > 1 {
		return fmt.Errorf("all classes together have %d sums, want one", len(m.All.XY))
	}
	if err := m.All.Check(); err != nil {
		return fmt.Errorf("all classes together have %w", err)
	}
	return nil
}

// observe returns the model with one measurement more: a job of a class had so much less of its speed, as -ln, by what others held
// beside it more than before, by class.
func (m model) observe(p *Policy, own string, others map[string]float64, loss float64) model {
	m = m.withClass(own)
	for _, class := range sortedKeys(others) {
		m = m.withClass(class)
	}
	x, sum := make([]float64, len(m.Classes)), 0.0
	for _, class := range sortedKeys(others) {
		sum += others[class]
		if i := m.indexOf(class); i >= 0 {
			x[i] += others[class]
		}
	}
	if i := m.indexOf(own); i >= 0 {
		m.Rows = slices.Clone(m.Rows)
		m.Rows[i] = m.Rows[i].Add(x, loss, p.Keep)
	}
	m.All = m.All.Add([]float64{sum}, loss, p.Keep)
	return m
}

// costs are what others cost jobs, as -ln of their speed for each that holds half of the GPUs of a node: by the
// class of a job and that of the other, the last of each for classes that are not told apart. None is below 0.
type costs struct {
	classes map[string]int
	of      [][]float64
	seen    float64 // measurements
}

// estimate returns what the measurements say.
func (m *model) estimate(p *Policy) *costs {
	mean := p.Prior
	if m.All.Count >= leastSeen {
		mean = m.All.Solve([]float64{p.Prior}, p.Strength)[0]
	}
	mean = max(mean, 0)
	c := &costs{classes: map[string]int{}, of: make([][]float64, mostClasses+1), seen: m.All.Count}
	for i := range c.of {
		c.of[i] = slices.Repeat([]float64{mean}, mostClasses+1)
	}
	for i, class := range m.Classes {
		c.classes[class] = i
		if m.Rows[i].Count < leastSeen {
			continue
		}
		for k, v := range m.Rows[i].Solve(c.of[i][:mostClasses], p.Strength) {
			c.of[i][k] = max(v, 0)
		}
	}
	return c
}

// trueCosts are what is known, for the classes of the jobs of a snapshot.
func trueCosts(s *policy.Snapshot, cost func(own, other string) float64) *costs {
	m := model{}
	for i := range s.Jobs {
		m = m.withClass(classOf(&s.Jobs[i]))
	}
	c := m.estimate(&Policy{})
	for own, i := range c.classes {
		for other, k := range c.classes {
			c.of[i][k] = cost(own, other)
		}
	}
	return c
}

// indexOf returns the row of a class.
func (c *costs) indexOf(class string) int {
	if i, known := c.classes[class]; known {
		return i
	}
	return mostClasses
}
