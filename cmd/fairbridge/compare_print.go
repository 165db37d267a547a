package main

import (
	"fmt"
	"io"

	"fairbridge/bridge/study/measure"
	"fairbridge/bridge/study/published"
)

// comparison is what --json prints of a policy: medians, and beside them the
// least and greatest of each figure.
type comparison struct {
	measure.Summary
	Seeds     int              `json:"seeds"`
	Min       *measure.Summary `json:"min,omitempty"`
	Max       *measure.Summary `json:"max,omitempty"`
	Published []published.Row  `json:"published,omitempty"`
}

// failure is what --json prints of a policy that has no figures.
type failure struct {
	Policy string `json:"policy"`
	Trace  string `json:"trace"`
	Error  string `json:"error"`
}

// tell prints what came of it; its error says what failed.
func (a *arena) tell(w io.Writer, all []contender, json bool) error {
	if json {
		if err := printLines(w, a.comparisons(all)); err != nil {
			return err
		}
	} else {
		a.print(w, all)
	}
	return failures(all)
}

func (a *arena) comparisons(all []contender) []any {
	var list []any
	for i := range all {
		if err := all[i].failed; err != nil {
			list = append(list, failure{all[i].Label, a.Name, err.Error()})
			continue
		}
		c := comparison{Summary: all[i].Median, Seeds: all[i].Runs}
		if c.Seeds > 1 {
			c.Min, c.Max = &all[i].Min, &all[i].Max
		}
		for _, r := range a.rows() {
			if r.Ours == all[i].Label {
				c.Published = append(c.Published, r)
			}
		}
		list = append(list, c)
	}
	return list
}

// rows are the published results, if these jobs have any.
func (a *arena) rows() []published.Row {
	if a.published == nil {
		return nil
	}
	return a.published.Rows
}

// ranked calls back for our policies, each followed by the published rows that
// are the same, and then for the other published rows.
func (a *arena) ranked(all []contender, ours func(i int), theirs func(published.Row)) {
	seen := map[string]bool{}
	for i := range all {
		ours(i)
		seen[all[i].Label] = true
		for _, r := range a.rows() {
			if r.Ours == all[i].Label {
				theirs(r)
			}
		}
	}
	for _, r := range a.rows() {
		if !seen[r.Ours] {
			theirs(r)
		}
	}
}

// print prints the table.
func (a *arena) print(w io.Writer, all []contender) {
	fmt.Fprintln(w, a.about())
	fmt.Fprintln(w)
	figures := visible(w, len(a.workloads))
	t := newNumbers(w, heads(figures)...)
	a.ranked(all, func(i int) {
		cells := []any{all[i].Label}
		for k, f := range figures {
			switch {
			case all[i].failed == nil:
				cells = append(cells, all[i].Cell(f))
			case k == 0:
				cells = append(cells, "failed")
			default:
				cells = append(cells, "–")
			}
		}
		t.add(cells...)
	}, func(r published.Row) {
		cells, s := []any{"  published: " + r.Name}, r.Summary()
		for _, f := range figures {
			cells = append(cells, f.Text(f.Of(&s)))
		}
		t.add(cells...)
	})
	t.print()
	for i := range all {
		if all[i].failed != nil {
			paragraph(w, "", fmt.Sprintf("%s failed: %v", all[i].Label, all[i].failed))
		}
	}
	fmt.Fprintln(w, "\n"+legend)
	for _, n := range a.notes() {
		fmt.Fprintln(w, n)
	}
}

// about says what was compared on what.
func (a *arena) about() string {
	s := fmt.Sprintf("%s: %s on %d GPUs", a.Name, count(len(a.Jobs), "job"), a.GPUs())
	if n := len(a.workloads); n > 1 {
		s += fmt.Sprintf(", %d seeds: medians (least–greatest)", n)
	}
	return s + "."
}

// notes say where published figures come from.
func (a *arena) notes() []string {
	var all []string
	seen := map[string]bool{}
	for _, r := range a.rows() {
		if !seen[r.Source] {
			seen[r.Source] = true
			all = append(all, "Published: "+r.Source+".")
		}
	}
	return all
}
