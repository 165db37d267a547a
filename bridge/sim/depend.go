package sim

import (
	"fmt"
	"strconv"
	"strings"
)

// dependency is one condition on another job.
type dependency struct {
	kind string
	on   int64
}

// parseDependency reads "afterok:1:2,afterany:3".
func parseDependency(s string) ([]dependency, error) {
	var out []dependency
	if s == "" {
		return nil, nil
	}
	for _, part := range strings.Split(s, ",") {
		kind, ids, _ := strings.Cut(part, ":")
		switch kind {
		case "after", "afterok", "afterany", "afternotok":
		default:
			return nil, fmt.Errorf("dependency %q: want after, afterok, afterany or afternotok", part)
		}
		for _, id := range strings.Split(ids, ":") {
			n, err := strconv.ParseInt(id, 10, 64)
			if err != nil {
				return nil, fmt.Errorf("dependency %q: %q is not a job id", part, id)
			}
			out = append(out, dependency{kind, n})
		}
	}
	return out, nil
}

// outcome counts how the tasks of a job ended.
type outcome struct{ good, bad int }

// waitsFor returns the reason a job's dependencies give: "" when they are met.
func (w *World) waitsFor(j *job) string {
	if j.spec.Dependency == "" {
		return ""
	}
	deps, _ := parseDependency(j.spec.Dependency) // checked at submission
	for _, d := range deps {
		if r := w.unmet(d); r != "" {
			return r
		}
	}
	return ""
}

func (w *World) unmet(d dependency) string {
	open, begun := false, true
	for _, j := range w.order {
		if (j.id == d.on || j.array == d.on) && !j.done() {
			open = true
			begun = begun && (j.state == running || j.ran)
		}
	}
	o := w.past[d.on]
	switch {
	case d.kind == "after":
		open = open && !begun
	case d.kind == "afterok" && o.bad > 0, d.kind == "afternotok" && !open && o.bad == 0 && o.good > 0:
		return "DependencyNeverSatisfied"
	}
	if open {
		return "Dependency"
	}
	return ""
}

// remember notes the end of a job for those that depend on it.
func (w *World) remember(j *job) {
	ids := []int64{j.id}
	if j.array != 0 && j.array != j.id {
		ids = append(ids, j.array)
	}
	for _, id := range ids {
		o := w.past[id]
		if j.state == "COMPLETED" {
			o.good++
		} else {
			o.bad++
		}
		w.past[id] = o
	}
}
