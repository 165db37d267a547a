package study

import (
	"errors"
	"fmt"
	"math"

	"fairbridge/accounting/chart"
	"fairbridge/replica/measure"
	"fairbridge/replica/published"
)

// TableRow is a row of the table of results: a policy's, or a published one.
type TableRow struct {
	*Result
	PublishedRow *published.ResultRow // nil: the row is of Result
}

// NewRows are our results, each followed by the published ones of the same policy,
// and then the other published ones.
func (e *Experiment) NewRows(results []Result) []TableRow {
	var rows []TableRow
	listed := map[string]bool{}
	for i := range results {
		label := results[i].Label
		listed[label] = true
		rows = append(rows, TableRow{Result: &results[i]})
		for k := range e.PublishedRows {
			if e.PublishedRows[k].OurPolicy == label {
				rows = append(rows, TableRow{PublishedRow: &e.PublishedRows[k]})
			}
		}
	}
	for k := range e.PublishedRows {
		if !listed[e.PublishedRows[k].OurPolicy] {
			rows = append(rows, TableRow{PublishedRow: &e.PublishedRows[k]})
		}
	}
	return rows
}

// Cells are the figures of the row as texts. A policy that failed has the word in
// place of the first, and "" for the others.
func (r TableRow) Cells(metrics []*measure.Metric) []string {
	cells := make([]string, len(metrics))
	switch {
	case r.PublishedRow != nil:
		s := r.PublishedRow.Summary()
		for i, m := range metrics {
			cells[i] = m.FormatValue(m.ValueOf(&s))
		}
	case errors.Is(r.Err, ErrInterrupted):
		cells[0] = "not ended"
	case r.Err != nil:
		cells[0] = "failed"
	default:
		for i, m := range metrics {
			cells[i] = r.FormatCell(m)
		}
	}
	return cells
}

// ListMetrics lists the columns that say something of one of the rows.
func ListMetrics(rows []TableRow) []*measure.Metric {
	var known []*measure.Summary
	for i := range rows {
		if r := &rows[i]; r.PublishedRow == nil && r.Err == nil {
			known = append(known, &r.Median)
		}
	}
	return measure.ListMetrics(known)
}

// PublishedSources say where the published results come from, each once.
func (e *Experiment) PublishedSources() []string {
	var all []string
	seen := map[string]bool{}
	for _, r := range e.PublishedRows {
		if !seen[r.Source] {
			seen[r.Source] = true
			all = append(all, "Published: "+r.Source+".")
		}
	}
	return all
}

// NewComparisonPage is the comparison as a page, without its last line. The sentences about
// it come below its title.
func (e *Experiment) NewComparisonPage(results []Result, about ...string) chart.ComparisonPage {
	first := e.Scenarios[0]
	p := chart.ComparisonPage{
		Title: "1 policy on " + first.Name, About: append(about, e.describeOptions()), Table: e.newTable(results), WeightsByAccount: map[string]float64{},
	}
	if n := len(results); n > 1 {
		p.Title = fmt.Sprintf("%d policies on %s", n, first.Name)
	}
	for _, a := range first.Accounts {
		p.WeightsByAccount[a.Name] = first.AccountWeight(a.Name)
	}
	for i := range results {
		if r := &results[i]; r.Err == nil {
			p.Policies = append(p.Policies, newPolicyRuns(r.Label, r.Runs))
		}
	}
	return p
}

// describeOptions says how the experiment was simulated.
func (e *Experiment) describeOptions() string {
	if e.ThroughSlurm {
		return fmt.Sprintf("Cluster %s, through the daemon's loop and a simulated Slurm; seed %d.", e.ClusterSpec, e.Seed)
	}
	return fmt.Sprintf("Cluster %s, plans carried out at once and exactly, clock %s; seed %d.", e.ClusterSpec, e.Exact.ClockName(), e.Seed)
}

func (e *Experiment) newTable(results []Result) chart.Table {
	t := chart.Table{ColumnHeads: []string{"Policy"}, Notes: append([]string{
		"Bold is the best of a column. JCT: from arrival to completion. ρ: JCT over what an equal part of the cluster would have needed. " +
			"Queueing: the part of the JCT in which a job did not run. Lost: GPU-hours held without progress.",
	}, e.PublishedSources()...)}
	metrics := ListMetrics(e.NewRows(results))
	best := make([]float64, len(metrics))
	for i, m := range metrics {
		t.ColumnHeads = append(t.ColumnHeads, m.Title)
		best[i] = bestValue(m, results)
	}
	drawn := 0
	for _, r := range e.NewRows(results) {
		row := chart.TableRow{StyleIndex: -1}
		for i, text := range r.Cells(metrics) {
			ours := r.PublishedRow == nil && r.Err == nil
			row.Cells = append(row.Cells, chart.TableCell{Text: text, IsBest: ours && metrics[i].ValueOf(&r.Median) == best[i]})
		}
		switch {
		case r.PublishedRow != nil:
			row.Label = "published: " + r.PublishedRow.Name
		case r.Err != nil:
			row.Label = r.Label
			t.Notes = append(t.Notes, fmt.Sprintf("%s failed: %v", r.Label, r.Err))
		default:
			row.Label, row.StyleIndex = r.Label, drawn
			drawn++
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// bestValue is the best median of a metric; NaN, which nothing equals, where there
// is none or all are the same.
func bestValue(m *measure.Metric, results []Result) float64 {
	least, most := math.Inf(1), math.Inf(-1)
	for i := range results {
		if results[i].Err == nil {
			v := m.ValueOf(&results[i].Median)
			least, most = min(least, v), max(most, v)
		}
	}
	switch {
	case m.BetterDirection == 0 || least == most:
		return math.NaN()
	case m.BetterDirection < 0:
		return least
	}
	return most
}

// newPolicyRuns makes a policy's drawings of its runs, the first of which has samples.
func newPolicyRuns(label string, runs []*measure.Run) chart.PolicyRuns {
	first := runs[0]
	p := chart.PolicyRuns{Label: label, EndSeconds: first.MakespanSeconds, ClusterGPUs: first.ClusterGPUs}
	for i := range first.Samples {
		s := &first.Samples[i]
		p.Samples = append(p.Samples, chart.Sample{
			AtSeconds: s.AtSeconds, BusyGPUs: s.BusyGPUs, QueuedJobs: s.QueuedJobs, GPUsByAccount: s.GPUsByAccount})
	}
	for _, r := range runs {
		p.JCTs, p.Rhos = append(p.JCTs, r.JCTs()...), append(p.Rhos, r.Rhos()...)
	}
	return p
}
