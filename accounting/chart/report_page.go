package chart

import (
	"cmp"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"fairbridge/bridge/printable"
)

// ReportPage is a page of tables, each with a drawing where one helps.
type ReportPage struct {
	Title    string
	About    []string
	Summary  []Finding // what the sections say, in words
	Sections []Section
	Footer   string // the last line
}

// Finding is a sentence, and the section that it is from.
type Finding struct{ Text, SectionID string }

// Section is a table with its drawing.
type Section struct {
	ID, Title, About string
	ColumnHeads      []string
	Rows             [][]string
	Drawing          Drawing
}

// Drawing is lines over time, bars by row, or dots by row. The zero Drawing is none.
type Drawing struct {
	XLabel, YLabel string    // what the axes show, with units; bars have no Up
	FirstDay       time.Time // of lines: X are days since it; zero: X are numbers
	Series         []Series
	Bars           []BarRow
	BarKeys        []string // what the bars of a row are
	Dots           []DotRow // ratios, drawn about 1
}

// Series is one line.
type Series struct {
	Label string
	X, Y  []float64
}

// BarRow is the bars of one row, as many as there are keys; NaN is unknown.
type BarRow struct {
	Label  string
	Values []float64
}

// IsWide is false: its tables scroll where they have to.
func (s ReportPage) IsWide() bool { return false }

// WriteReportPage writes the page: one file that loads nothing.
func WriteReportPage(w io.Writer, s ReportPage) error {
	if err := pageTemplates.ExecuteTemplate(printable.NewWriter(w), "report_page.html", s); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	return nil
}

// drawingWithKeys is a drawing with its key.
type drawingWithKeys struct {
	SVG  template.HTML
	Keys []string
}

// IsEmpty reports whether there is nothing to show: such a section is folded.
func (s Section) IsEmpty() bool { return len(s.Rows) == 0 && s.Figure() == nil }

// Figure draws the section's drawing; nil when there is none.
func (s Section) Figure() *drawingWithKeys {
	d := s.Drawing
	switch {
	case len(d.Series) > 0:
		return d.drawLines(s.ID, s.Title)
	case len(d.Bars) > 0:
		return d.drawBars(s.ID, s.Title)
	case len(d.Dots) > 0:
		return &drawingWithKeys{dotChart{s.ID, s.Title, d.XLabel, d.Dots}.renderSVG(), nil}
	}
	return nil
}

// maxLinesShown and maxBarRowsShown are how many lines and rows of bars a drawing shows: those of the largest sums.
const maxLinesShown, maxBarRowsShown = colourCount, 20

func (d Drawing) drawLines(id, title string) *drawingWithKeys {
	courses := slices.Clone(d.Series)
	slices.SortStableFunc(courses, func(a, b Series) int { return cmp.Compare(sumValues(b.Y), sumValues(a.Y)) })
	courses = courses[:min(len(courses), maxLinesShown)]
	out := &drawingWithKeys{}
	var lines []line
	var words []string
	for i, c := range courses {
		l := line{label: c.Label, styleIndex: i}
		for k, y := range c.Y {
			if !math.IsNaN(y) {
				l.points = append(l.points, point{c.X[k], y})
			}
		}
		lines, out.Keys = append(lines, l), append(out.Keys, c.Label)
		words = append(words, fmt.Sprintf("%s %.4g", c.Label, meanY(l.points)))
	}
	_, along := minAndMax(lines, pointX)
	_, most := minAndMax(lines, pointY)
	xAxis := newLinearAxis(d.XLabel, along)
	if !d.FirstDay.IsZero() {
		xAxis = newDayAxis(d.XLabel, d.FirstDay, along)
	}
	out.SVG = plot{
		id: id, title: title, lines: lines, xAxis: xAxis, yAxis: newLinearAxis(d.YLabel, most),
		description: "Means: " + strings.Join(words, "; ") + ".",
	}.renderSVG()
	return out
}

func (d Drawing) drawBars(id, title string) *drawingWithKeys {
	most := 0.0
	var rows []barGroup
	var words []string
	for _, r := range d.Bars[:min(len(d.Bars), maxBarRowsShown)] {
		g := barGroup{name: printable.Truncate(r.Label, 16)}
		said := r.Label
		for i, v := range r.Values {
			if !math.IsNaN(v) {
				g.bars = append(g.bars, bar{d.BarKeys[i], i, v})
				most = max(most, v)
				said += fmt.Sprintf(", %s %.4g", d.BarKeys[i], v)
			}
		}
		rows, words = append(rows, g), append(words, said)
	}
	b := barChart{
		id: id, title: title, groups: rows, xAxis: newLinearAxis(d.XLabel, most), description: strings.Join(words, "; ") + ".",
		formatValue: formatFigure,
	}
	return &drawingWithKeys{b.renderSVG(), d.BarKeys}
}

// formatFigure prints a value beside its bar: to three digits, and large ones whole.
func formatFigure(v float64) string {
	if math.Abs(v) >= 1000 {
		return formatTick(math.Round(v))
	}
	return formatTick(roundToDigits(v, 3))
}

func sumValues(values []float64) float64 {
	s := 0.0
	for _, v := range values {
		if !math.IsNaN(v) {
			s += v
		}
	}
	return s
}
