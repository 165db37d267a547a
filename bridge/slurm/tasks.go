package slurm

import (
	"slices"
	"strings"
)

// maxArrayTasks is the largest array Slurm allows.
const maxArrayTasks = 4_000_001

// ArrayTasks are the tasks of an array that a record stands for, read once from
// array_task_string: "1-5,7,9-21:2%4".
type ArrayTasks struct {
	Text         string      // as Slurm writes it
	Ranges       []TaskRange // shared by records: never written to
	Count        int         // of tasks; the fewest it can be where the text is cut
	IsTruncated  bool        // the text was too long for Slurm, and ends with "..."
	UnreadReason string      // why the text cannot be read, and names no task; "" when it can
}

// TaskRange is the tasks From, From+Step, … up to To.
type TaskRange struct{ From, To, Step int }

// ReadArrayTasks reads array_task_string.
func ReadArrayTasks(text string) ArrayTasks {
	out, err := parseArrayTasks(text)
	if err != nil {
		return ArrayTasks{Text: text, UnreadReason: err.Error()}
	}
	return out
}

// HasTask reports whether the task is one of them, or may be where the text is cut.
func (t ArrayTasks) HasTask(task int) bool {
	return t.IsTruncated || slices.ContainsFunc(t.Ranges, rangeHasTask(task))
}

func rangeHasTask(task int) func(TaskRange) bool {
	return func(r TaskRange) bool { return r.From <= task && task <= r.To && (task-r.From)%r.Step == 0 }
}

func parseArrayTasks(s string) (ArrayTasks, error) {
	t := &textParser{subject: "array tasks", text: s}
	out := ArrayTasks{Text: s}
	list, _, _ := strings.Cut(s, "%")
	if whole, cut := strings.CutSuffix(list, "..."); cut {
		// The last item may have lost its end: all it says is one task.
		list = whole[:strings.LastIndexByte(whole, ',')+1]
		list = strings.TrimSuffix(list, ",")
		out.Count, out.IsTruncated = 1, true
	}
	for t.position < len(list) {
		r, err := t.parseTaskRange()
		if err != nil {
			return out, err
		}
		out.Ranges = append(out.Ranges, r)
		if out.Count += (r.To-r.From)/r.Step + 1; out.Count > maxArrayTasks {
			return out, t.errorf("more than %d tasks", maxArrayTasks)
		}
		if t.position < len(list) {
			if !t.isNextByte(',') || t.position+1 == len(list) {
				return out, t.errorf("unexpected %q", s[t.position])
			}
			t.position++
		}
	}
	return out, nil
}

// parseTaskRange reads "7", "1-5" or "9-21:2".
func (t *textParser) parseTaskRange() (TaskRange, error) {
	lo, _, err := t.parseNumber()
	if err != nil || !t.isNextByte('-') {
		return TaskRange{lo, lo, 1}, err
	}
	t.position++
	hi, _, err := t.parseNumber()
	if err != nil {
		return TaskRange{}, err
	}
	step := 1
	if t.isNextByte(':') {
		t.position++
		if step, _, err = t.parseNumber(); err != nil {
			return TaskRange{}, err
		}
	}
	if hi < lo || step < 1 {
		return TaskRange{}, t.errorf("a range that does not go up")
	}
	return TaskRange{lo, hi, step}, nil
}
