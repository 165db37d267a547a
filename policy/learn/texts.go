package learn

import (
	"fmt"
	"slices"
)

// texts numbers names, so that groups are found by numbers.
type texts struct {
	list  []string // by number; the first is ""
	index map[string]int32
	stems []int32 // number of the stem of each; -1: not looked for yet
}

func newTexts() texts {
	return texts{list: []string{""}, index: map[string]int32{"": 0}, stems: []int32{0}}
}

// open takes a list that was read.
func (t *texts) open(list []string) error {
	*t = newTexts()
	for i, s := range list {
		if n := t.put(s); int(n) != i {
			return fmt.Errorf("text %q is given twice, or the first is not empty", s)
		}
	}
	return nil
}

// put returns the number of a text, a new one if need be.
func (t *texts) put(s string) int32 {
	n, ok := t.index[s]
	if !ok {
		n = int32(len(t.list))
		t.index[s] = n
		t.list, t.stems = append(t.list, s), append(t.stems, -1)
	}
	return n
}

// get returns the number of a text, -1 for an unknown one.
func (t *texts) get(s string) int32 {
	if n, ok := t.index[s]; ok {
		return n
	}
	return -1
}

// tag is a job as numbers.
type tag struct{ user, account, name, stem, typ, gpus, limit int32 }

// tag numbers a job whose run is learnt.
func (t *texts) tag(j *Job) tag {
	n := t.put(j.Name)
	if t.stems[n] < 0 {
		s := t.put(stem(j.Name))
		t.stems[n] = s
	}
	return tag{t.put(j.User), t.put(j.Account), n, t.stems[n], t.put(j.Type), int32(j.GPUs), int32(j.Limit.Seconds())}
}

// find numbers a job that is asked for.
func (t *texts) find(j *Job) tag {
	s := t.get(j.Name)
	if s < 0 || t.stems[s] < 0 {
		s = t.get(stem(j.Name))
	} else {
		s = t.stems[s]
	}
	return tag{t.get(j.User), t.get(j.Account), t.get(j.Name), s, t.get(j.Type), int32(j.GPUs), int32(j.Limit.Seconds())}
}

// keep forgets the texts that are not marked and returns the new number of
// each; texts are sorted then.
func (t *texts) keep(used []bool) []int32 {
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
		t.put(s)
	}
	return to
}
