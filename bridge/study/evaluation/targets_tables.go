package evaluation

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"fairbridge/bridge/study"
	"fairbridge/bridge/study/evaluation/targets"
	"fairbridge/bridge/study/paired"
)

// judgedFigures are the tables of each workload, in their order.
var judgedFigures = map[targets.Workload][]*targets.Figure{
	targets.Days:       {targets.MeanCompletion, targets.NodeGangs, targets.WorstBelowShare, targets.LongestWaits, targets.WorseSeeds},
	targets.Uninformed: {targets.MeanCompletion},
	targets.Windows:    {targets.MedianCompletion, targets.WorstCompletion},
}

// judgedRow is one figure of one cell: under the policy, and by chance.
type judgedRow struct {
	workload *comparedWorkload
	figure   *targets.Figure
	study.Setting
	value, chance            targets.Value
	wanted                   string // "": nothing
	verdict, verdictOfChance targets.Verdict
}

// newJudgedRow judges one figure of one cell.
func newJudgedRow(w *comparedWorkload, f *targets.Figure, b *study.PairedBlock) judgedRow {
	r := judgedRow{w, f, b.Setting, f.Measure(b, judgedPolicy), f.Measure(b, chanceLabel), "–", targets.NoTarget, targets.NoTarget}
	if most, ok := targets.MostWanted(w.judgedAs, f, b.OfferedLoad, *b.StoppableShare); ok {
		r.wanted, r.verdict, r.verdictOfChance = f.FormatWanted(most), r.value.Judge(most), r.chance.Judge(most)
	}
	return r
}

// targetsWriter judges cell by cell.
type targetsWriter struct {
	workloads []*comparedWorkload
	rows      []judgedRow
	losers    [][]string
	sizes     []string // titles of columns
}

func newTargetsWriter() sectionWriter { return &targetsWriter{} }

// add implements sectionWriter.
func (t *targetsWriter) add(w *comparedWorkload, b *study.PairedBlock) {
	if !slices.Contains(t.workloads, w) {
		t.workloads = append(t.workloads, w)
	}
	for _, f := range judgedFigures[w.judgedAs] {
		t.rows = append(t.rows, newJudgedRow(w, f, b))
	}
	if w.judgedAs != targets.Days {
		return
	}
	row := []string{fmt.Sprintf("%g", b.OfferedLoad), shareName(*b.StoppableShare)}
	t.sizes = nil
	for _, s := range targets.SizeRatios(b, judgedPolicy) {
		t.sizes, row = append(t.sizes, s.Title), append(row, boldAbove(s.Ratio, losesAbove))
	}
	t.losers = append(t.losers, append(row, targets.WorstSeeds(b, judgedPolicy), targets.WorstAccounts(b, judgedPolicy)))
}

// boldAbove prints a ratio, in bold where it is above another.
func boldAbove(ratio, above float64) string {
	if text := paired.FormatRatio(ratio); !(ratio > above) {
		return text
	}
	return "**" + paired.FormatRatio(ratio) + "**"
}

// write implements sectionWriter.
func (t *targetsWriter) write(page *bytes.Buffer) {
	t.writeSummary(page)
	for _, w := range t.workloads {
		fmt.Fprintf(page, "\n### %s\n", w.title)
		if w.about != "" {
			fmt.Fprintf(page, "\n%s The cluster is %s, %s.\n", w.about, slurmTableCluster, seedCountText(w.seeds))
		}
		for _, f := range judgedFigures[w.judgedAs] {
			t.writeFigure(page, w, f)
		}
	}
	fmt.Fprintf(page, "\n### Who loses on whole days\n\nMedian slowdown by the size of jobs, more than %.0f %% worse in bold; then days and accounts, the worst first, with the ratio to Slurm alone:\n\n", 100*(losesAbove-1))
	writeHeader(page, slices.Concat([]string{"Load", "Opted in"}, t.sizes, []string{"Days above 1.03", "Worst accounts below their share, by day"})...)
	for _, row := range t.losers {
		writeRow(page, row...)
	}
}

// rowsOf are the rows of a table.
func (t *targetsWriter) rowsOf(w *comparedWorkload, f *targets.Figure) []judgedRow {
	return slices.DeleteFunc(slices.Clone(t.rows), func(r judgedRow) bool { return r.workload != w || r.figure != f })
}

// writeSummary says how many targets are met, and which are not by how much.
func (t *targetsWriter) writeSummary(page *bytes.Buffer) {
	page.WriteString("\n")
	writeHeader(page, "What is judged", "fairbridge", "Slurm again", "Not met by fairbridge, with what is wanted")
	for _, w := range t.workloads {
		for _, f := range judgedFigures[w.judgedAs] {
			var ours, chance targets.Tally
			var lacking []string
			for _, r := range t.rowsOf(w, f) {
				ours.Add(r.verdict)
				if chance.Add(r.verdictOfChance); r.verdict == targets.NotMet {
					lacking = append(lacking, fmt.Sprintf("%g %s %s for %s", r.OfferedLoad, shareName(*r.StoppableShare), r.value.String(), r.wanted))
				}
			}
			writeRow(page, w.title+": "+lowerFirst(f.Title), ours.String(), chance.String(), cmp.Or(strings.Join(lacking, "; "), "–"))
		}
	}
}

func lowerFirst(text string) string { return strings.ToLower(text[:1]) + text[1:] }

// writeFigure writes the table of one figure.
func (t *targetsWriter) writeFigure(page *bytes.Buffer, w *comparedWorkload, f *targets.Figure) {
	fmt.Fprintf(page, "\n#### %s: %s\n\n", w.title, lowerFirst(f.Title))
	const spread = "quartiles; geometric mean"
	writeHeader(page, "Load", "Opted in", "Seeds", "fairbridge, "+f.JudgedBy, "Wanted", "Verdict", spread, "Slurm again, "+f.JudgedBy, "Verdict on it", spread)
	for _, r := range t.rowsOf(w, f) {
		verdict := string(r.verdict)
		if r.verdict == targets.NotMet {
			verdict = "**" + verdict + "**"
		}
		writeRow(page, fmt.Sprintf("%g", r.OfferedLoad), shareName(*r.StoppableShare), fmt.Sprint(r.value.SeedCount), r.value.String(), r.wanted, verdict, r.value.FormatSpread(),
			r.chance.String(), string(r.verdictOfChance), r.chance.FormatSpread())
	}
}
