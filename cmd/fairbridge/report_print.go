package main

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"fairbridge/accounting/report"
	"fairbridge/bridge/study/chart"
)

// span says which time the answers are about.
func (a *asked) span() string {
	const to = "2006-01-02 15:04"
	s := fmt.Sprintf("Cluster %s, %s to %s UTC", a.Cluster, a.Since.UTC().Format(to), a.Until.UTC().Format(to))
	if a.Account != "" {
		s += ", account " + a.Account
	}
	if a.User != "" {
		s += ", user " + a.User
	}
	return s + "."
}

func (a *asked) print(w io.Writer, all []answer) {
	for i, r := range all {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w, r.Title)
		if i == 0 {
			fmt.Fprintln(w, a.span())
		}
		if r.About != "" {
			paragraph(w, "", r.About)
		}
		fmt.Fprintln(w)
		if len(r.Rows.Rows) == 0 {
			fmt.Fprintln(w, "Nothing in this time.")
			continue
		}
		t := newTable(w, headOf(r.Rows, strings.ToUpper)...)
		for _, row := range r.Rows.Rows {
			cells := make([]any, len(row))
			for i, v := range row {
				cells[i] = report.Text(r.Rows.Columns[i], v)
			}
			t.add(cells...)
		}
		t.print()
	}
}

// headOf names the columns as people read them.
func headOf(t *report.Table, as func(string) string) []any {
	var head []any
	for _, c := range t.Columns {
		for _, unit := range []string{"_seconds", "_share"} {
			c = strings.TrimSuffix(c, unit)
		}
		head = append(head, as(strings.ReplaceAll(strings.ReplaceAll(c, "gpu_hours", "GPU-h"), "_", " ")))
	}
	return head
}

// page writes the answers as one HTML file.
func (a *asked) page(w io.Writer, all []answer) error {
	s := chart.Sheet{Title: "Report of cluster " + a.Cluster, About: []string{a.span()}, Made: made()}
	if len(all) == 1 {
		s.Title = all[0].Title
	}
	for _, r := range all {
		sec := chart.Section{ID: r.Name, Title: r.Title, About: r.About, Drawing: a.drawing(r)}
		for _, h := range headOf(r.Rows, func(s string) string { return s }) {
			sec.Head = append(sec.Head, fmt.Sprint(h))
		}
		for _, row := range r.Rows.Rows {
			cells := make([]string, len(row))
			for i, v := range row {
				cells[i] = report.Text(r.Rows.Columns[i], v)
			}
			sec.Rows = append(sec.Rows, cells)
		}
		s.Sections = append(s.Sections, sec)
	}
	return chart.WriteSheet(w, s)
}

// drawing is what the page draws of an answer.
func (a *asked) drawing(r answer) chart.Drawing {
	switch r.Plot.Kind {
	case report.Bars:
		d := chart.Drawing{Across: r.Plot.Unit}
		for _, c := range r.Plot.Cols {
			d.Keys = append(d.Keys, strings.ReplaceAll(c, "_", " "))
		}
		label := r.Rows.Column(r.Plot.Label)
		for _, row := range r.Rows.Rows {
			b := chart.BarRow{Label: fmt.Sprint(row[label])}
			for _, c := range r.Plot.Cols {
				b.Values = append(b.Values, figure(row[r.Rows.Column(c)]))
			}
			d.Bars = append(d.Bars, b)
		}
		return d
	case report.Lines:
		return a.courses(r)
	}
	return chart.Drawing{}
}

// courses draws columns over the days. A day without a row of a series is 0.
func (a *asked) courses(r answer) chart.Drawing {
	first := a.Since.UTC().Truncate(24 * time.Hour)
	d := chart.Drawing{Across: "days since " + first.Format(time.DateOnly), Up: r.Plot.Unit}
	days := int(a.Until.Sub(first).Hours()/24) + 1
	at := map[string]int{}
	for _, row := range r.Rows.Rows {
		day, err := time.Parse(time.DateOnly, fmt.Sprint(row[r.Rows.Column("day")]))
		k := int(day.Sub(first).Hours() / 24)
		if err != nil || k < 0 || k >= days {
			continue
		}
		for _, c := range r.Plot.Cols {
			name := strings.ReplaceAll(c, "_", " ")
			if r.Plot.Label != "" {
				name = fmt.Sprint(row[r.Rows.Column(r.Plot.Label)])
			}
			i, ok := at[name]
			if !ok {
				i = len(d.Courses)
				at[name] = i
				d.Courses = append(d.Courses, course(name, days, r.Plot.Label != ""))
			}
			if y := d.Courses[i].Y; math.IsNaN(y[k]) {
				y[k] = figure(row[r.Rows.Column(c)])
			} else {
				y[k] += figure(row[r.Rows.Column(c)])
			}
		}
	}
	return d
}

// course is a line over days without values: 0, or unknown.
func course(name string, days int, zero bool) chart.Course {
	c := chart.Course{Label: name, X: make([]float64, days), Y: make([]float64, days)}
	for k := range c.X {
		c.X[k] = float64(k)
		if !zero {
			c.Y[k] = math.NaN()
		}
	}
	return c
}

// figure is a cell as a number; NaN when it is not known.
func figure(v any) float64 {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case float64:
		return v
	}
	return math.NaN()
}
