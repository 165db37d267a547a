package slurm

import (
	"slices"
	"strings"
)

// maxTasks is the largest array Slurm allows.
const maxTasks = 4_000_001

// Tasks are the tasks of an array that a record stands for, read once from
// array_task_string: "1-5,7,9-21:2%4".
type Tasks struct {
	Text   string      // as Slurm writes it
	Ranges []TaskRange // shared by records: never written to
	Count  int         // of tasks; the fewest it can be where the text is cut
	Cut    bool        // the text was too long for Slurm, and ends with "..."
	Unread string      // why the text cannot be read, and names no task; "" when it can
}

// TaskRange is the tasks From, From+Step, … up to To.
type TaskRange struct{ From, To, Step int }

// ReadTasks reads array_task_string.
func ReadTasks(text string) Tasks {
	out, err := parseTasks(text)
	if err != nil {
		return Tasks{Text: text, Unread: err.Error()}
	}
	return out
}

// Has reports whether the task is one of them, or may be where the text is cut.
func (t Tasks) Has(task int) bool { return t.Cut || slices.ContainsFunc(t.Ranges, containsTask(task)) }

func containsTask(task int) func(TaskRange) bool {
	return func(r TaskRange) bool { return r.From <= task && task <= r.To && (task-r.From)%r.Step == 0 }
}

func parseTasks(s string) (Tasks, error) {
	t := &textParser{what: "array tasks", s: s}
	out := Tasks{Text: s}
	list, _, _ := strings.Cut(s, "%")
	if whole, cut := strings.CutSuffix(list, "..."); cut {
		// The last item may have lost its end: all it says is one task.
		list = whole[:strings.LastIndexByte(whole, ',')+1]
		list = strings.TrimSuffix(list, ",")
		out.Count, out.Cut = 1, true
	}
	for t.i < len(list) {
		r, err := t.parseTaskRange()
		if err != nil {
			return out, err
		}
		out.Ranges = append(out.Ranges, r)
		if out.Count += (r.To-r.From)/r.Step + 1; out.Count > maxTasks {
			return out, t.errorf("more than %d tasks", maxTasks)
		}
		if t.i < len(list) {
			if !t.skipByte(',') || t.i+1 == len(list) {
				return out, t.errorf("unexpected %q", s[t.i])
			}
			t.i++
		}
	}
	return out, nil
}

// parseTaskRange reads "7", "1-5" or "9-21:2".
func (t *textParser) parseTaskRange() (TaskRange, error) {
	lo, _, err := t.parseNumber()
	if err != nil || !t.skipByte('-') {
		return TaskRange{lo, lo, 1}, err
	}
	t.i++
	hi, _, err := t.parseNumber()
	if err != nil {
		return TaskRange{}, err
	}
	step := 1
	if t.skipByte(':') {
		t.i++
		if step, _, err = t.parseNumber(); err != nil {
			return TaskRange{}, err
		}
	}
	if hi < lo || step < 1 {
		return TaskRange{}, t.errorf("a range that does not go up")
	}
	return TaskRange{lo, hi, step}, nil
}
