package learn

import (
	"fmt"
	"slices"

	"fairbridge/policy/recurrence"
)

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
