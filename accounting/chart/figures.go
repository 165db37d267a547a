// Package chart writes the page that compares policies: a table first, then
// what people look at, as drawings made here. The page is one file that loads
// nothing, reads in light and dark, and says each drawing in words.
package chart

import (
	"cmp"
	"fmt"
	"html/template"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"fairbridge/bridge/printable"
)

// linesOfPolicies returns a line for each policy by the same function.
func (p ComparisonPage) linesOfPolicies(of func(PolicyRuns) []point) []line {
	all := make([]line, len(p.Policies))
	for i, pol := range p.Policies {
		all[i] = line{pol.Label, i, of(pol)}
	}
	return all
}

// describePolicies says a figure of every policy in words.
func (p ComparisonPage) describePolicies(of func(PolicyRuns) string) string {
	words := make([]string, len(p.Policies))
	for i, pol := range p.Policies {
		words[i] = pol.Label + " " + of(pol)
	}
	return strings.Join(words, "; ") + "."
}

// minAndMax returns the least and greatest coordinate.
func minAndMax(lines []line, of func(point) float64) (least, most float64) {
	least, most = math.Inf(1), math.Inf(-1)
	for _, l := range lines {
		for _, pt := range l.points {
			least, most = min(least, of(pt)), max(most, of(pt))
		}
	}
	return least, most
}

func pointX(pt point) float64 { return pt.x }

func pointY(pt point) float64 { return pt.y }

// divideX divides the times of the lines by a unit.
func divideX(lines []line, by float64) []line {
	for _, l := range lines {
		for i := range l.points {
			l.points[i].x /= by
		}
	}
	return lines
}

func (p ComparisonPage) jctFigure() figure {
	lines := p.linesOfPolicies(func(pol PolicyRuns) []point { return drawnDistribution(pol.JCTs) })
	_, most := minAndMax(lines, pointX)
	name, seconds := ChooseTimeUnit(most)
	least, most := minAndMax(divideX(lines, seconds), pointX)
	f := figure{
		ID: "jct", Title: "Job completion times",
		Caption: "Share of jobs done within a time of their arrival. Further left and higher is better; the axis of time is logarithmic.",
	}
	f.SVG = plot{
		id: f.ID, title: f.Title, lines: lines,
		description: "Half and 99 % of the jobs are done within, in " + name + ": " + p.describePolicies(func(pol PolicyRuns) string {
			return fmt.Sprintf("%.3g and %.3g", quantileOf(pol.JCTs, 0.5)/seconds, quantileOf(pol.JCTs, 0.99)/seconds)
		}),
		xAxis: newLogAxis("job completion time, "+name, max(least, most/1e5), most), yAxis: newLinearAxis("share of jobs", 1),
	}.renderSVG()
	return f
}

func (p ComparisonPage) rhoFigure() figure {
	lines := p.linesOfPolicies(func(pol PolicyRuns) []point { return drawnDistribution(pol.Rhos) })
	least, most := minAndMax(lines, pointX)
	f := figure{
		ID: "rho", Title: "Finish-time fairness",
		Caption: "Share of jobs up to a ρ: the time to completion over what an equal part of the cluster would have needed. Right of 1 a job came off worse than its part.",
	}
	f.SVG = plot{
		id: f.ID, title: f.Title, lines: lines, verticalRules: []verticalRule{{1, "equal part"}},
		description: "Median and greatest ρ: " + p.describePolicies(func(pol PolicyRuns) string {
			return fmt.Sprintf("%.2f and %.2f", quantileOf(pol.Rhos, 0.5), quantileOf(pol.Rhos, 1))
		}),
		xAxis: newRhoAxis(max(least, most/1e5), max(most, 1.2)), yAxis: newLinearAxis("share of jobs", 1),
	}.renderSVG()
	return f
}

// newRhoAxis is logarithmic where one job is far worse off than the others.
func newRhoAxis(least, most float64) axis {
	if most > 10 {
		return newLogAxis("finish-time fairness ρ (no unit), logarithmic", least, most)
	}
	return newLinearAxis("finish-time fairness ρ (no unit)", most)
}

// newTimeFigure draws a figure of the samples over time.
func (p ComparisonPage) newTimeFigure(f figure, y func(most float64) axis, said string, of func(*Sample, PolicyRuns) float64) figure {
	end := 0.0
	for _, pol := range p.Policies {
		end = max(end, pol.EndSeconds)
	}
	name, seconds := ChooseTimeUnit(end)
	lines := divideX(p.linesOfPolicies(func(pol PolicyRuns) []point {
		return pointsOverTime(pol.Samples, pol.EndSeconds, func(s *Sample) float64 { return of(s, pol) })
	}), seconds)
	_, most := minAndMax(lines, pointY)
	f.SVG = plot{
		id: f.ID, title: f.Title, lines: lines, xAxis: newLinearAxis("time since the first arrival, "+name, end/seconds), yAxis: y(most),
		description: said + p.describePolicies(func(pol PolicyRuns) string {
			line := pointsOverTime(pol.Samples, pol.EndSeconds, func(s *Sample) float64 { return of(s, pol) })
			return fmt.Sprintf("%.3g, ends at %.3g %s", meanY(line), pol.EndSeconds/seconds, name)
		}),
	}.renderSVG()
	return f
}

func meanY(line []point) float64 {
	sum := 0.0
	for _, pt := range line {
		sum += pt.y
	}
	return sum / max(float64(len(line)), 1)
}

func (p ComparisonPage) utilizationFigure() figure {
	f := figure{
		ID: "utilization", Title: "GPUs in use",
		Caption: "GPUs allocated over the whole cluster, over time, in the first run of each policy. A line ends with its last job.",
	}
	return p.newTimeFigure(f, func(float64) axis { return newLinearAxis("allocated GPUs, %", 100) }, "Mean percentage of GPUs allocated, and when all jobs were done: ",
		func(s *Sample, pol PolicyRuns) float64 {
			return 100 * float64(s.BusyGPUs) / float64(max(pol.ClusterGPUs, 1))
		})
}

func (p ComparisonPage) queueFigure() figure {
	f := figure{
		ID: "queue", Title: "Jobs waiting",
		Caption: "Jobs that have arrived and do not run, over time, in the first run of each policy.",
	}
	return p.newTimeFigure(f, func(most float64) axis { return newLinearAxis("waiting jobs", most) }, "Mean number of jobs waiting, and when all were done: ",
		func(s *Sample, _ PolicyRuns) float64 { return float64(s.QueuedJobs) })
}

// maxAccountsShown is how many accounts a chart shows; the smallest are left out.
const maxAccountsShown = 12

func (p ComparisonPage) accountsFigure() (figure, bool) {
	f := figure{
		ID: "accounts", Title: "Shares of the accounts",
		Caption: "Part of the GPU time given out while jobs waited, by account, in the first run of each policy. The upright mark is what the account's weight entitles it to, were all accounts present.",
	}
	shares := make([]map[string]float64, len(p.Policies))
	largest := map[string]float64{}
	for i, pol := range p.Policies {
		shares[i] = accountSharesWhileQueued(pol.Samples)
		for account, s := range shares[i] {
			largest[account] = max(largest[account], s)
		}
	}
	if len(largest) < 2 {
		return f, false
	}
	names := slices.Sorted(maps.Keys(largest))
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(largest[b], largest[a]) })
	names = names[:min(len(names), maxAccountsShown)]
	chart := barChart{id: f.ID, title: f.Title, groups: p.newAccountGroups(names, shares)}
	chart.xAxis, chart.description = newLinearAxis("share of GPU time while jobs waited, %", 100*largestShare(chart.groups)), describeShares(chart.groups)
	f.SVG = chart.renderSVG()
	return f, true
}

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
