package learn

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"fairbridge/policy/recurrence"
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

// textTable numbers names, so that groups are found by numbers.
type textTable struct {
	texts         []string // by number; the first is ""
	numbersByText map[string]int32
	stemNumbers   []int32 // number of the stem of each; -1: not looked for yet
}

func newTextTable() textTable {
	return textTable{texts: []string{""}, numbersByText: map[string]int32{"": 0}, stemNumbers: []int32{0}}
}

// loadTexts takes a list that was read.
func (t *textTable) loadTexts(list []string) error {
	*t = newTextTable()
	for i, s := range list {
		if n := t.numberOrAddText(s); int(n) != i {
			return fmt.Errorf("text %q is given twice, or the first is not empty", s)
		}
	}
	return nil
}

// numberOrAddText returns the number of a text, a new one if need be.
func (t *textTable) numberOrAddText(s string) int32 {
	n, ok := t.numbersByText[s]
	if !ok {
		n = int32(len(t.texts))
		t.numbersByText[s] = n
		t.texts, t.stemNumbers = append(t.texts, s), append(t.stemNumbers, -1)
	}
	return n
}

// numberOf returns the number of a text, -1 for an unknown one.
func (t *textTable) numberOf(s string) int32 {
	if n, ok := t.numbersByText[s]; ok {
		return n
	}
	return -1
}

// jobNumbers is a job as numbers.
type jobNumbers struct{ user, account, name, nameStem, gpuType, gpus, limitSeconds int32 }

// numberNewJob numbers a job whose run is learnt.
func (t *textTable) numberNewJob(j *Job) jobNumbers {
	n := t.numberOrAddText(j.Name)
	if t.stemNumbers[n] < 0 {
		s := t.numberOrAddText(stemOf(j))
		t.stemNumbers[n] = s
	}
	return jobNumbers{t.numberOrAddText(j.User), t.numberOrAddText(j.Account), n, t.stemNumbers[n], t.numberOrAddText(j.GPUType), int32(j.GPUs), int32(j.Limit.Seconds())}
}

// numberKnownJob numbers a job that is asked for.
func (t *textTable) numberKnownJob(j *Job) jobNumbers {
	s := t.numberOf(j.Name)
	if s < 0 || t.stemNumbers[s] < 0 {
		s = t.numberOf(stemOf(j))
	} else {
		s = t.stemNumbers[s]
	}
	return jobNumbers{t.numberOf(j.User), t.numberOf(j.Account), t.numberOf(j.Name), s, t.numberOf(j.GPUType), int32(j.GPUs), int32(j.Limit.Seconds())}
}

// stemOf is by what jobs of a user are recognised whose names differ in counters; "": the name is nothing else.
func stemOf(j *Job) string {
	if r, ok := recurrence.Of(j.User, j.Name); ok {
		return r.Name
	}
	return ""
}

// retainMarked forgets the texts that are not marked and returns the new number of
// each; texts are sorted then.
func (t *textTable) retainMarked(used []bool) []int32 {
	used[0] = true
	var list []string
	for n, s := range t.texts {
		if used[n] {
			list = append(list, s)
		}
	}
	slices.Sort(list)
	to := make([]int32, len(t.texts))
	old := t.numbersByText
	*t = newTextTable()
	for i, s := range list {
		to[old[s]] = int32(i)
		t.numberOrAddText(s)
	}
	return to
}

// groupKey names a group of a level: numbers of texts, then plain numbers.
type groupKey [4]int32

// jobGrouping is a way to group jobs.
type jobGrouping struct {
	name              string
	keyOf             func(*jobNumbers) groupKey
	keyTextCount      int             // so many of the key's first numbers are texts,
	requiredTextCount int             // so many of which must be given
	decayPerRun       float64         // what earlier runs of a group still count after one more
	needsLimit        bool            // only jobs with a time limit are grouped so
	usesLimitRatio    bool            // run times are taken as parts of limits
	startParameters   levelParameters // before there is enough history to fit
}

// levelParameters are the numbers of a level that are fitted to the history.
type levelParameters struct {
	PriorWeight float64 `json:"weight"` // of the levels before, in runs
	MaxShare    float64 `json:"most"`   // of the distribution that the level takes
	KernelWidth float64 `json:"width"`  // of the kernel around a single run, in bins
}

// levelCount is how many groupings there are; nameLevel is the first by whole names.
const levelCount, nameLevel = 18, 15

// groupings are those of the levels, the most general first.
var groupings = [levelCount]jobGrouping{
	{"all", func(t *jobNumbers) groupKey { return groupKey{} }, 0, 0, 1, false, false, levelParameters{4, 1, 6}},
	{"size", func(t *jobNumbers) groupKey { return groupKey{t.gpus} }, 0, 0, 1, false, false, levelParameters{16, .8, 6}},
	{"size, lately", func(t *jobNumbers) groupKey { return groupKey{t.gpus} }, 0, 0, .8, false, false, levelParameters{4, .2, 6}},
	{"limit", func(t *jobNumbers) groupKey { return groupKey{t.limitSeconds} }, 0, 0, 1, true, false, levelParameters{16, .5, 6}},
	{"limit used", func(t *jobNumbers) groupKey { return groupKey{limitOctave(t.limitSeconds)} }, 0, 0, 1, true, true, levelParameters{8, .6, 6}},
	{"account", func(t *jobNumbers) groupKey { return groupKey{t.account} }, 1, 1, .999, false, false, levelParameters{16, .5, 6}},
	{"account, size", func(t *jobNumbers) groupKey { return groupKey{t.account, t.gpus} }, 1, 1, .999, false, false, levelParameters{16, .5, 6}},
	{"account, size, lately", func(t *jobNumbers) groupKey { return groupKey{t.account, t.gpus} }, 1, 1, .8, false, false, levelParameters{4, .2, 6}},
	{"user", func(t *jobNumbers) groupKey { return groupKey{t.user} }, 1, 1, .99, false, false, levelParameters{8, .6, 6}},
	{"user, size", func(t *jobNumbers) groupKey { return groupKey{t.user, t.gpus} }, 1, 1, .99, false, false, levelParameters{8, .6, 6}},
	{"user, limit used", func(t *jobNumbers) groupKey { return groupKey{t.user, limitOctave(t.limitSeconds)} }, 1, 1, .99, true, true, levelParameters{8, .25, 6}},
	{"user, limit", func(t *jobNumbers) groupKey { return groupKey{t.user, t.limitSeconds} }, 1, 1, .99, true, false, levelParameters{8, .4, 6}},
	{"user, lately", func(t *jobNumbers) groupKey { return groupKey{t.user} }, 1, 1, .7, false, false, levelParameters{4, .2, 6}},
	{"user, size, lately", func(t *jobNumbers) groupKey { return groupKey{t.user, t.gpus} }, 1, 1, .7, false, false, levelParameters{4, .2, 6}},
	{"name without numbers", func(t *jobNumbers) groupKey { return groupKey{t.nameStem, t.user} }, 2, 1, .98, false, false, levelParameters{4, .6, 6}},
	{"name", func(t *jobNumbers) groupKey { return groupKey{t.name, t.user} }, 2, 1, .98, false, false, levelParameters{2, .9, 6}},
	{"name, size", func(t *jobNumbers) groupKey { return groupKey{t.name, t.user, t.gpus} }, 2, 1, .95, false, false, levelParameters{2, .9, 6}},
	{"name, size, type", func(t *jobNumbers) groupKey { return groupKey{t.gpuType, t.name, t.user, t.gpus} }, 3, 2, .95, false, false, levelParameters{4, .8, 6}},
}

// keyOfJob returns the key of a job's group; ok is false if it has none.
func (k *jobGrouping) keyOfJob(t *jobNumbers) (at groupKey, ok bool) {
	at = k.keyOf(t)
	for _, n := range at[:k.requiredTextCount] {
		if n <= 0 {
			return at, false
		}
	}
	return at, t.limitSeconds > 0 || !k.needsLimit
}

// shareForRuns is the part of the distribution that a level takes which knows n runs.
func (f *levelParameters) shareForRuns(n float64) float64 {
	return f.MaxShare * n / (n + f.PriorWeight)
}

// kernelSigma is the standard deviation, in bins, of the kernel around each of n runs.
func kernelSigma(width, n float64) float64 { return width * math.Pow(max(n, 1), -.2) }

// limitOctave groups time limits, each group's twice as long as those of the one before.
func limitOctave(seconds int32) int32 { return int32(bits.Len32(uint32(max(seconds, 0)))) }

// isValid reports whether the numbers can be used.
func (f *levelParameters) isValid() bool {
	return f.PriorWeight > 0 && f.MaxShare >= 0 && f.MaxShare <= 1 && f.KernelWidth >= 0 && f.PriorWeight+f.KernelWidth < math.MaxFloat32
}

// isValid reports whether texts are known, and runs and bins match.
func (g *jobGroup) isValid(k *jobGrouping, texts int) bool {
	if g == nil || len(g.Bins) == 0 || len(g.Bins) != len(g.MassByBin) || !(g.RunCount > 0) || math.IsInf(g.RunCount, 1) {
		return false
	}
	for _, n := range g.Key[:k.keyTextCount] {
		if n < 0 || int(n) >= texts {
			return false
		}
	}
	for i, b := range g.Bins {
		if int(b) >= binCount+extraRatioBins || i > 0 && g.Bins[i-1] >= b || !(g.MassByBin[i] >= 0) || g.MassByBin[i] > 2*g.RunCount {
			return false
		}
	}
	return true
}

func (k groupKey) compare(o groupKey) int { return slices.Compare(k[:], o[:]) }
