package learn

import (
	"fmt"
	"slices"
)

// textTable numbers names, so that groups are found by numbers.
type textTable struct {
	list  []string // by number; the first is ""
	index map[string]int32
	stems []int32 // number of the stem of each; -1: not looked for yet
}

func newTexts() textTable {
	return textTable{list: []string{""}, index: map[string]int32{"": 0}, stems: []int32{0}}
}

// load takes a list that was read.
func (t *textTable) load(list []string) error {
	*t = newTexts()
	for i, s := range list {
		if n := t.intern(s); int(n) != i {
			return fmt.Errorf("text %q is given twice, or the first is not empty", s)
		}
	}
	return nil
}

// intern returns the number of a text, a new one if need be.
func (t *textTable) intern(s string) int32 {
	n, ok := t.index[s]
	if !ok {
		n = int32(len(t.list))
		t.index[s] = n
		t.list, t.stems = append(t.list, s), append(t.stems, -1)
	}
	return n
}

// number returns the number of a text, -1 for an unknown one.
func (t *textTable) number(s string) int32 {
	if n, ok := t.index[s]; ok {
		return n
	}
	return -1
}

// jobNumbers is a job as numbers.
type jobNumbers struct{ user, account, name, stem, typ, gpus, limit int32 }

// add numbers a job whose run is learnt.
func (t *textTable) add(j *Job) jobNumbers {
	n := t.intern(j.Name)
	if t.stems[n] < 0 {
		s := t.intern(stem(j.Name))
		t.stems[n] = s
	}
	return jobNumbers{t.intern(j.User), t.intern(j.Account), n, t.stems[n], t.intern(j.Type), int32(j.GPUs), int32(j.Limit.Seconds())}
}

// lookUp numbers a job that is asked for.
func (t *textTable) lookUp(j *Job) jobNumbers {
	s := t.number(j.Name)
	if s < 0 || t.stems[s] < 0 {
		s = t.number(stem(j.Name))
	} else {
		s = t.stems[s]
	}
	return jobNumbers{t.number(j.User), t.number(j.Account), t.number(j.Name), s, t.number(j.Type), int32(j.GPUs), int32(j.Limit.Seconds())}
}

// retain forgets the texts that are not marked and returns the new number of
// each; texts are sorted then.
func (t *textTable) retain(used []bool) []int32 {
	used[0] = true
	var list []string
	for n, s := range t.list {
		if used[n] {
			list = append(list, s)
		}
	}
	slices.Sort(list)
	to := make([]int32, len(t.list))
	old := t.index
	*t = newTexts()
	for i, s := range list {
		to[old[s]] = int32(i)
		t.intern(s)
	}
	return to
}
