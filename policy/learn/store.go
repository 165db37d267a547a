package learn

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
)

// Compact brings the model into the form in which it is stored: groups sorted,
// of each level only the most that ran last; 0: all. After it, the model and
// what is read back from its JSON predict the same.
func (m *Model) Compact(most int) {
	used := make([]bool, len(m.textTable.texts))
	for i := range m.Levels {
		m.Levels[i].keepLatestGroups(most)
		for _, g := range m.Levels[i].Groups {
			for _, n := range g.Key[:groupings[i].keyTextCount] {
				used[n] = true
			}
		}
	}
	to := m.textTable.retainMarked(used)
	m.Texts = m.textTable.texts
	for i := range m.Levels {
		m.Levels[i].renumberTexts(to, groupings[i].keyTextCount)
	}
}

// keepLatestGroups forgets all groups but the most that ran last.
func (l *Level) keepLatestGroups(most int) {
	if most <= 0 || len(l.Groups) <= most {
		return
	}
	slices.SortFunc(l.Groups, func(a, b *jobGroup) int {
		return cmp.Or(cmp.Compare(b.LastEndUnix, a.LastEndUnix), a.Key.compare(b.Key))
	})
	l.Groups = slices.Clone(l.Groups[:most])
}

// renumberTexts gives the texts of keys their new numbers, and sorts.
func (l *Level) renumberTexts(to []int32, texts int) {
	for _, g := range l.Groups {
		for i, n := range g.Key[:texts] {
			g.Key[i] = to[n]
		}
		g.normalize()
	}
	slices.SortFunc(l.Groups, func(a, b *jobGroup) int { return a.Key.compare(b.Key) })
	l.groupsByKey = make(map[groupKey]*jobGroup, len(l.Groups))
	for _, g := range l.Groups {
		l.groupsByKey[g.Key] = g
	}
}

// ParseModel reads a stored model. It fails on one of another version, or with
// levels, groups or numbers that cannot be.
func ParseModel(text []byte) (*Model, error) {
	m := &Model{}
	dec := json.NewDecoder(bytes.NewReader(text))
	if err := dec.Decode(m); err != nil {
		return nil, fmt.Errorf("reading a model of run times: %w", err)
	}
	if m.Version != MethodVersion || len(m.Levels) != levelCount {
		return nil, fmt.Errorf("a model of run times of version %d with %d levels; this release reads version %d with %d: fit it again", m.Version, len(m.Levels), MethodVersion, levelCount)
	}
	if !(m.Trust >= 0 && m.Trust <= 1) {
		return nil, fmt.Errorf("a model of run times with trust %g: want 0 to 1; fit it again", m.Trust)
	}
	if err := m.textTable.loadTexts(m.Texts); err != nil {
		return nil, fmt.Errorf("a model of run times: %w", err)
	}
	for i := range m.Levels {
		if err := m.Levels[i].checkAndIndex(&groupings[i], len(m.Texts)); err != nil {
			return nil, fmt.Errorf("a model of run times, level %d: %w", i+1, err)
		}
	}
	return m, nil
}

// checkAndIndex checks a level that was read and indexes its groups.
func (l *Level) checkAndIndex(k *jobGrouping, texts int) error {
	if l.Name != k.name || !l.isValid() {
		return fmt.Errorf("%q with numbers %+v; want %q and positive ones", l.Name, l.levelParameters, k.name)
	}
	l.groupsByKey = make(map[groupKey]*jobGroup, len(l.Groups))
	for i, g := range l.Groups {
		if !g.isValid(k, texts) || l.groupsByKey[g.Key] != nil {
			return fmt.Errorf("group %d is given twice, has unknown texts, or runs and bins that do not match", i+1)
		}
		g.nextRunMass = 1
		l.groupsByKey[g.Key] = g
	}
	return nil
}
