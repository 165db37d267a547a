// Package chart writes the page that compares policies: a table first, then
// what people look at, as drawings made here. The page is one file that loads
// nothing, reads in light and dark, and says each drawing in words.
package chart

import (
	"fmt"
	"html/template"
	"io"
	"slices"

	"fairbridge/bridge/printable"
)

// PolicyRuns is one policy's runs, as drawn: all jobs of all its runs together, the
// samples over time of one of them.
type PolicyRuns struct {
	Label       string
	JCTs        []float64 // seconds
	Rhos        []float64
	Samples     []Sample // of the first run
	EndSeconds  float64  // seconds, of the first run
	ClusterGPUs int      // of the cluster
}

// Sample is the cluster at one moment; it holds until the next one.
type Sample struct {
	AtSeconds            float64
	BusyGPUs, QueuedJobs int
	GPUsByAccount        map[string]float64 // allocated
}

// Table are figures, ready to be read.
type Table struct {
	ColumnHeads []string
	Rows        []TableRow
	Notes       []string
}

// mostWideColumns is how many columns have room in 1,280 pixels in letters that are easily read.
const mostWideColumns = 21

// IsDense reports whether the table needs smaller letters for all columns to be shown.
func (t Table) IsDense() bool { return len(t.ColumnHeads) > mostWideColumns }

// TableRow is one policy's figures.
type TableRow struct {
	Label      string
	StyleIndex int // the policy's place in ComparisonPage.Policies; negative: not drawn
	Cells      []TableCell
}

// TableCell is a figure.
type TableCell struct {
	Text   string
	IsBest bool // of its column
}

// ComparisonPage is what is written.
type ComparisonPage struct {
	Title            string
	About            []string // sentences below the title
	Table            Table
	Policies         []PolicyRuns
	WeightsByAccount map[string]float64 // weights of the accounts
	Footer           string             // the last line
}

// IsWide is true: its table has more columns than text has room.
func (p ComparisonPage) IsWide() bool { return true }

// WriteComparisonPage writes the page.
func WriteComparisonPage(w io.Writer, p ComparisonPage) error {
	if err := pageTemplates.ExecuteTemplate(printable.NewWriter(w), "page.html", struct {
		ComparisonPage
		Figures []figure
	}{p, p.figures()}); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	return nil
}

// figure is a drawing with its words.
type figure struct {
	ID, Title, Caption string
	SVG                template.HTML
}

func (p ComparisonPage) figures() []figure {
	all := []figure{p.jctFigure(), p.rhoFigure()}
	if slices.ContainsFunc(p.Policies, func(pol PolicyRuns) bool { return len(pol.Samples) > 0 }) { // kept runs have none
		all = append(all, p.utilizationFigure(), p.queueFigure())
	}
	if f, ok := p.accountsFigure(); ok {
		all = append(all, f)
	}
	return all
}
