package evaluation

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"fairbridge/lab/generate"
	"fairbridge/replica/paired"
	"fairbridge/replica/policyset"
	"fairbridge/replica/study"
)

// losesAbove is the ratio from which a policy is said to lose.
const losesAbove = 1.05

// shownFigures are the columns of the table, by their keys, and what they are called.
var shownFigures = [][2]string{
	{"mean_completion_s", "Mean completion"}, {"mean_wait_s", "Mean wait"}, {"slowdown_gangs", "Slowdown of gangs"},
	{"worst_below_share_slowdown", "Worst account below its share"}, {"stops", "Stops"}, {"lost_gpu_hours", "GPU-hours lost"},
}

// titlesOf are what figures are called.
func titlesOf(figures [][2]string) []string {
	var titles []string
	for _, f := range figures {
		titles = append(titles, f[1])
	}
	return titles
}

// formatSpreads are the cells of a row: the spreads of those figures.
func formatSpreads(s *paired.Set, c *paired.Comparison, figures [][2]string) []string {
	var cells []string
	for _, f := range figures {
		k := s.FigureIndex(f[0])
		cells = append(cells, s.Figures[k].FormatSpread(c.Spreads[k]))
	}
	return cells
}

// completionOf is the spread of the ratios of mean completion times.
func completionOf(b *study.PairedBlock, policyIndex int) paired.Spread {
	return b.Comparisons[policyIndex].Spreads[b.Set.FigureIndex("mean_completion_s")]
}

// comparisonWriter writes each workload as a subsection.
type comparisonWriter struct {
	workloads []*comparedWorkload
	blocks    [][]*study.PairedBlock // by workload
}

// add takes a cell of a workload. The outcomes of its jobs are there only until add returns.
func (c *comparisonWriter) add(w *comparedWorkload, b *study.PairedBlock) {
	last := len(c.workloads) - 1
	if last < 0 || c.workloads[last] != w {
		c.workloads, c.blocks = append(c.workloads, w), append(c.blocks, nil)
		last++
	}
	c.blocks[last] = append(c.blocks[last], b)
}

// write writes the section.
func (c *comparisonWriter) write(page *bytes.Buffer) {
	for i, w := range c.workloads {
		writeComparedWorkload(page, w, c.blocks[i])
	}
}

// writeComparedWorkload writes a workload: the medians of all cells in one table, a drawing of
// one cell, and a table of each cell.
func writeComparedWorkload(page *bytes.Buffer, w *comparedWorkload, blocks []*study.PairedBlock) {
	fmt.Fprintf(page, "\n### %s\n\nThe cluster is %s, %s, median %d jobs.\n", w.title, slurmTableCluster, seedCountText(w.seeds), medianJobCount(blocks))
	fmt.Fprintf(page, "\nMean completion time, by load and by which jobs may be stopped; more than %.0f %% worse than\nSlurm alone in bold:\n\n", 100*(losesAbove-1))
	writeMedians(page, blocks)
	writeLosers(page, blocks)
	shown := blocks[len(blocks)-1]
	for _, b := range blocks {
		if b.OfferedLoad == 1.5 {
			shown = b
		}
	}
	fmt.Fprintf(page, "\nMean completion time at %s: median ●, least to greatest ─, and Slurm alone │.\n\n```text\n%s```\n", shown.Setting, drawRatios(shown))
	for _, b := range blocks {
		writeBlock(page, b)
	}
}

func medianJobCount(blocks []*study.PairedBlock) int {
	var counts []int
	for _, b := range blocks {
		for _, s := range b.Scenarios {
			counts = append(counts, len(s.Jobs))
		}
	}
	slices.Sort(counts)
	return counts[len(counts)/2]
}

// writeMedians writes the medians of mean completion, a column a cell.
func writeMedians(page *bytes.Buffer, blocks []*study.PairedBlock) {
	head := []string{"Policy"}
	for _, b := range blocks {
		head = append(head, fmt.Sprintf("%g, %s", b.OfferedLoad, shareName(*b.StoppableShare)))
	}
	writeHeader(page, head...)
	for i := range blocks[0].Comparisons {
		row := []string{blocks[0].Comparisons[i].PolicyLabel}
		for _, b := range blocks {
			x := completionOf(b, i)
			text := paired.FormatRatio(x.Median)
			if x.Median > losesAbove {
				text = "**" + text + "**"
			}
			row = append(row, text)
		}
		writeRow(page, row...)
	}
}

// shareName is a part of the jobs in one word.
func shareName(share float64) string {
	switch share {
	case 0:
		return "none"
	case 0.5:
		return "half"
	case 1:
		return "all"
	}
	return fmt.Sprint(share)
}

// writeLosers says which policies lose, and how often.
func writeLosers(page *bytes.Buffer, blocks []*study.PairedBlock) {
	var losing []string
	for i := range blocks[0].Comparisons {
		n := 0
		for _, b := range blocks {
			if completionOf(b, i).Median > losesAbove {
				n++
			}
		}
		if n > 0 {
			losing = append(losing, fmt.Sprintf("%s (%d of %d)", blocks[0].Comparisons[i].PolicyLabel, n, len(blocks)))
		}
	}
	fmt.Fprintf(page, "\nPolicies that lose by more than %.0f %% in a column: %s.\n", 100*(losesAbove-1), cmp.Or(strings.Join(losing, ", "), "none"))
}

// writeBlock writes the table of one cell.
func writeBlock(page *bytes.Buffer, b *study.PairedBlock) {
	text := b.Setting.String()
	fmt.Fprintf(page, "\n#### %s%s\n\n", strings.ToUpper(text[:1]), text[1:])
	base := []string{"*" + b.Baseline.PolicyLabel + "*", fmt.Sprintf("*%d*", len(b.Baseline.Pairs))}
	values := b.Set.ValueSpreads(&b.Baseline)
	for _, f := range shownFigures {
		k := b.Set.FigureIndex(f[0])
		base = append(base, "*"+b.Set.Figures[k].FormatValues(values[k])+"*")
	}
	writeHeader(page, append([]string{"Policy", "Seeds"}, titlesOf(shownFigures)...)...)
	writeRow(page, base...)
	for i := range b.Comparisons {
		c := &b.Comparisons[i]
		writeRow(page, append([]string{c.PolicyLabel, fmt.Sprint(len(c.Pairs))}, formatSpreads(b.Set, c, shownFigures)...)...)
	}
	for i := range b.Comparisons {
		if c := &b.Comparisons[i]; c.PolicyLabel == "fairbridge" {
			fmt.Fprintf(page, "\nWorse off under fairbridge by more than 5 %%: %s.\n", cmp.Or(b.Set.DescribeLosers(c), "none"))
		}
	}
}

// SlurmTableOptions say of which runs the table against Slurm alone is made.
type SlurmTableOptions struct {
	Runs      study.RunKeeper // has the runs that ended, and keeps those made
	MakesNone bool            // no run is made: the table of what is there
	Parallel  int             // runs at a time
	IsQuick   bool            // few short runs, to try the table itself
	SeedCount int             // only the first so many seeds; 0: all
	// ReportProgress is told how far it is.
	ReportProgress func(what string)
}

// The cluster that all workloads of the table meet.
const slurmTableCluster = "4x8"

// comparedWorkload is jobs that vary by seed and load, and the policies that meet them.
type comparedWorkload struct {
	title    string
	policies string                   // a list of names, the baseline first
	choices  []policyset.PolicyChoice // read from it, with the baseline once more after it
	loads    []float64
	shares   []float64 // of jobs that may be stopped
	seeds    int       // from 1
	draw     func(load float64, seed int64) (*study.Scenario, error)
}

// drawDays lets each seed draw so many days.
func drawDays(dayCount float64) func(load float64, seed int64) (*study.Scenario, error) {
	return func(load float64, seed int64) (*study.Scenario, error) {
		return drawScenario("day", generate.WorkloadOptions{OfferedLoad: load, DayCount: dayCount}, seed, slurmTableCluster)
	}
}

// newWholeDays returns whole days, for the policies most asked for.
func newWholeDays(o *SlurmTableOptions) []*comparedWorkload {
	days := &comparedWorkload{
		title: "Drawn days", policies: "slurm,fairbridge,multifactor,easy,sjf,srtf,tiresias,shockwave",
		loads: []float64{1, 1.5, 3}, shares: []float64{0, 0.5, 1}, seeds: 20, draw: drawDays(1),
	}
	if o.IsQuick {
		days.makeQuick()
	}
	return []*comparedWorkload{days}
}

// makeQuick leaves few short runs.
func (w *comparedWorkload) makeQuick() {
	w.policies, w.loads, w.shares, w.seeds, w.draw = "slurm,fairbridge,fifo,easy", []float64{1.5}, []float64{0, 1}, 2, drawDays(0.02)
}

// slurmTableCell is a workload at one load, with one part of its jobs that may be stopped.
type slurmTableCell struct {
	*comparedWorkload
	study.Setting
}

// cells are the workload's combinations, by load.
func (w *comparedWorkload) cells() []slurmTableCell {
	var all []slurmTableCell
	for _, load := range w.loads {
		for _, share := range w.shares {
			all = append(all, slurmTableCell{w, study.Setting{OfferedLoad: load, StoppableShare: &share}})
		}
	}
	return all
}

// scenario is the cell's with that seed.
func (c *slurmTableCell) scenario(seed int64) (*study.Scenario, error) {
	s, err := c.draw(c.OfferedLoad, seed)
	if err != nil {
		return nil, fmt.Errorf("%s, %s, seed %d: %w", c.title, c.Setting, seed, err)
	}
	study.SetStoppableShare(s.Jobs, *c.StoppableShare, seed)
	return s, nil
}

// Drawings of ratios are so many characters wide, and show such ratios.
const (
	drawingWidth = 61
	leastDrawn   = 0.25
	mostDrawn    = 4
)

// drawRatios draws the ratios of mean completion of each policy in a line of characters, on a
// logarithmic axis with 1 in the middle. What is beyond its ends stands at them, as < or >.
func drawRatios(b *study.PairedBlock) string {
	width := 0
	for i := range b.Comparisons {
		width = max(width, len(b.Comparisons[i].PolicyLabel))
	}
	var text strings.Builder
	for i := range b.Comparisons {
		fmt.Fprintf(&text, "%-*s  %s\n", width, b.Comparisons[i].PolicyLabel, drawSpread(completionOf(b, i)))
	}
	axis := []rune(strings.Repeat(" ", drawingWidth+4))
	for _, tick := range []float64{0.25, 0.5, 0.7, 1, 1.4, 2, 4} {
		copy(axis[columnOf(tick):], []rune(paired.FormatRatio(tick)))
	}
	fmt.Fprintf(&text, "%-*s  %s\n", width, "", strings.TrimRight(string(axis), " "))
	return text.String()
}

// drawSpread draws one line.
func drawSpread(s paired.Spread) string {
	line := []rune(strings.Repeat(" ", drawingWidth))
	line[columnOf(1)] = '│'
	if s.SeedCount == 0 {
		return strings.TrimRight(string(line), " ")
	}
	for k := columnOf(s.Least); k <= columnOf(s.Greatest); k++ {
		if line[k] == ' ' {
			line[k] = '─'
		}
	}
	line[columnOf(s.Median)] = '●'
	if s.Least < leastDrawn {
		line[0] = '<'
	}
	if s.Greatest > mostDrawn {
		line[drawingWidth-1] = '>'
	}
	return strings.TrimRight(string(line), " ")
}

// columnOf is where a ratio stands in a line.
func columnOf(ratio float64) int {
	at := math.Log(min(max(ratio, leastDrawn), mostDrawn)/leastDrawn) / math.Log(mostDrawn/leastDrawn)
	return int(math.Round(at * (drawingWidth - 1)))
}
