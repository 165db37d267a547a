package slurm

import "strings"

// maxTasks is the largest array Slurm allows.
const maxTasks = 4_000_001

// ParseTasks returns how many tasks array_task_string names: 13 for
// "1-5,7,9-21:2%4". Slurm cuts long strings off and ends them with "...": then
// the result is the fewest it can be.
func ParseTasks(s string) (int, error) {
	t := &text{what: "array tasks", s: s}
	list, _, _ := strings.Cut(s, "%")
	total := 0
	if whole, cut := strings.CutSuffix(list, "..."); cut {
		// The last item may have lost its end: all it says is one task.
		list = whole[:strings.LastIndexByte(whole, ',')+1]
		list = strings.TrimSuffix(list, ",")
		total = 1
	}
	for t.i < len(list) {
		n, err := t.tasks()
		if err != nil {
			return 0, err
		}
		if total += n; total > maxTasks {
			return 0, t.bad("more than %d tasks", maxTasks)
		}
		if t.i < len(list) {
			if !t.at(',') || t.i+1 == len(list) {
				return 0, t.bad("unexpected %q", s[t.i])
			}
			t.i++
		}
	}
	return total, nil
}

// tasks reads "7", "1-5" or "9-21:2" and returns how many tasks it names.
func (t *text) tasks() (int, error) {
	lo, _, err := t.number()
	if err != nil || !t.at('-') {
		return 1, err
	}
	t.i++
	hi, _, err := t.number()
	if err != nil {
		return 0, err
	}
	step := 1
	if t.at(':') {
		t.i++
		if step, _, err = t.number(); err != nil {
			return 0, err
		}
	}
	if hi < lo || step < 1 {
		return 0, t.bad("a range that does not go up")
	}
	return (hi-lo)/step + 1, nil
}
