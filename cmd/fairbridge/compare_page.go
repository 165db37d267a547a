package main

import (
	"fmt"
	"io"
	"math"

	"fairbridge/bridge/study/chart"
	"fairbridge/bridge/study/published"
	"fairbridge/bridge/study/trial"
)

// page is what is written with --html.
func (a *arena) page(all []contender, t *trials) page {
	p := page{
		Title: fmt.Sprintf("%s on %s", count(len(all), "policy"), a.Name), Made: made(), Shares: map[string]float64{},
		About: []string{a.about(), a.how(t)},
	}
	if len(all) > 1 {
		p.Title = fmt.Sprintf("%d policies on %s", len(all), a.Name)
	}
	for _, acc := range a.Accounts {
		p.Shares[acc.Name] = max(acc.Weight, 0)
	}
	for i := range all {
		if all[i].failed == nil {
			p.Policies = append(p.Policies, all[i].drawn)
		}
	}
	p.Table = a.table(all)
	return p
}

// page is a page to be written.
type page chart.Page

func (p page) write(w io.Writer) error { return chart.Write(w, chart.Page(p)) }

// how says how it was simulated.
func (a *arena) how(t *trials) string {
	if a.way.Slurm {
		return fmt.Sprintf("Cluster %s, through the daemon's loop and a simulated Slurm; seed %d.", t.cluster, t.seed)
	}
	return fmt.Sprintf("Cluster %s, plans carried out at once and exactly, clock %s; seed %d.", t.cluster, a.clock, t.seed)
}

func (a *arena) table(all []contender) chart.Table {
	t := chart.Table{Head: []string{"Policy"}, Notes: append([]string{
		"Bold is the best of a column. JCT: from arrival to completion. ρ: JCT over what an equal part of the cluster would have needed. " +
			"Queueing: the part of the JCT in which a job did not run. Lost: GPU-hours held without progress.",
	}, a.notes()...)}
	best := make([]float64, len(trial.Figures))
	for i := range trial.Figures {
		t.Head = append(t.Head, trial.Figures[i].Title)
		best[i] = bestOf(&trial.Figures[i], all)
	}
	drawn := 0
	a.ranked(all, func(k int) {
		row := chart.Row{Label: all[k].Label, Look: drawn}
		if err := all[k].failed; err != nil {
			row.Look, row.Cells = -1, make([]chart.Cell, len(trial.Figures))
			row.Cells[0].Text = "failed"
			t.Rows, t.Notes = append(t.Rows, row), append(t.Notes, fmt.Sprintf("%s failed: %v", all[k].Label, err))
			return
		}
		drawn++
		for i := range trial.Figures {
			f := &trial.Figures[i]
			row.Cells = append(row.Cells, chart.Cell{Text: all[k].Cell(f), Best: f.Of(&all[k].Median) == best[i]})
		}
		t.Rows = append(t.Rows, row)
	}, func(r published.Row) {
		row, s := chart.Row{Label: "published: " + r.Name, Look: -1}, r.Summary()
		for i := range trial.Figures {
			f := &trial.Figures[i]
			row.Cells = append(row.Cells, chart.Cell{Text: f.Text(f.Of(&s))})
		}
		t.Rows = append(t.Rows, row)
	})
	return t
}

// bestOf is the best median of a figure; NaN, which nothing equals, where there
// is none or all are the same.
func bestOf(f *trial.Figure, all []contender) float64 {
	least, most := math.Inf(1), math.Inf(-1)
	for i := range all {
		if all[i].failed != nil {
			continue
		}
		v := f.Of(&all[i].Median)
		least, most = min(least, v), max(most, v)
	}
	switch {
	case f.Better == 0 || least == most:
		return math.NaN()
	case f.Better < 0:
		return least
	}
	return most
}
