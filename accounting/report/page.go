package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"fairbridge/accounting/chart"
)

// WritePage writes the answers of a scope as one HTML file. made says by what.
func WritePage(w io.Writer, s Scope, all []Answer, made string) error {
	sheet := chart.ReportPage{Title: "Report of cluster " + s.Cluster, About: []string{s.String()}, Footer: made}
	if len(all) == 1 {
		sheet.Title = all[0].Title
	}
	for _, a := range all {
		if text := a.summarize(); text != "" {
			sheet.Summary = append(sheet.Summary, chart.Finding{Text: text, SectionID: a.Name})
		}
		sheet.Sections = append(sheet.Sections, chart.Section{
			ID: a.Name, Title: a.Title, About: a.Explanation, Drawing: a.newDrawing(s), ColumnHeads: a.Rows.HeaderTexts(), Rows: a.Rows.FormatRows(),
		})
	}
	return chart.WriteReportPage(w, sheet)
}

// newDrawing is what the page draws of the answer.
func (a *Answer) newDrawing(s Scope) chart.Drawing {
	switch a.Plot.Kind {
	case BarPlot:
		return a.newBarDrawing()
	case LinePlot:
		return a.newLineDrawing(s)
	}
	return chart.Drawing{}
}

// newBarDrawing draws columns by row. Seconds become the unit that suits the longest, parts percent.
func (a *Answer) newBarDrawing() chart.Drawing {
	drawn := slices.DeleteFunc(slices.Clone(a.Plot.Columns), func(c string) bool { return a.Rows.ColumnIndex(c) < 0 })
	unit, of := a.unitOfBars(drawn)
	d := chart.Drawing{XLabel: unit}
	for _, c := range drawn {
		d.BarKeys = append(d.BarKeys, headerText(c))
	}
	label := a.Rows.ColumnIndex(a.Plot.LabelColumn)
	for _, row := range a.Rows.Rows {
		b := chart.BarRow{Label: fmt.Sprint(row[label])}
		for _, c := range drawn {
			b.Values = append(b.Values, floatOfCell(row[a.Rows.ColumnIndex(c)])/of)
		}
		d.Bars = append(d.Bars, b)
	}
	return d
}

// unitOfBars is the unit of the bars, and how much of what the columns hold it is.
func (a *Answer) unitOfBars(columns []string) (unit string, of float64) {
	switch a.Plot.Unit {
	case unitSeconds:
		most := 0.0
		for _, row := range a.Rows.Rows {
			for _, c := range columns {
				most = max(most, floatOfCell(row[a.Rows.ColumnIndex(c)])) // of one that is not known it is that
			}
		}
		return chart.ChooseTimeUnit(most)
	case unitPartOfCluster, unitPartOfJobs, unitPartInTime:
		return a.Plot.Unit, 0.01
	}
	return a.Plot.Unit, 1
}

// newLineDrawing draws columns over the days. A day without a row of a series is 0.
func (a *Answer) newLineDrawing(s Scope) chart.Drawing {
	first := s.Since.UTC().Truncate(24 * time.Hour)
	d := chart.Drawing{XLabel: "day (UTC)", FirstDay: first, YLabel: a.Plot.Unit}
	days := int(s.Until.Sub(first).Hours()/24) + 1
	at := map[string]int{}
	for _, row := range a.Rows.Rows {
		day, err := time.Parse(time.DateOnly, fmt.Sprint(row[a.Rows.ColumnIndex("day")]))
		k := int(day.Sub(first).Hours() / 24)
		if err != nil || k < 0 || k >= days {
			continue
		}
		for _, c := range a.Plot.Columns {
			name := headerText(c)
			if a.Plot.LabelColumn != "" {
				name = fmt.Sprint(row[a.Rows.ColumnIndex(a.Plot.LabelColumn)])
			}
			i, ok := at[name]
			if !ok {
				i = len(d.Series)
				at[name] = i
				d.Series = append(d.Series, newEmptySeries(name, days, a.Plot.LabelColumn != ""))
			}
			if y := d.Series[i].Y; math.IsNaN(y[k]) {
				y[k] = floatOfCell(row[a.Rows.ColumnIndex(c)])
			} else {
				y[k] += floatOfCell(row[a.Rows.ColumnIndex(c)])
			}
		}
	}
	return d
}

// newEmptySeries is a line over days without values: 0, or unknown.
func newEmptySeries(name string, days int, zero bool) chart.Series {
	c := chart.Series{Label: name, X: make([]float64, days), Y: make([]float64, days)}
	for k := range c.X {
		c.X[k] = float64(k)
		if !zero {
			c.Y[k] = math.NaN()
		}
	}
	return c
}

// floatOfCell is a cell as a number; NaN when it is not known.
func floatOfCell(v any) float64 {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case float64:
		return v
	}
	return math.NaN()
}
