package trial

import (
	"cmp"
	"errors"
	"fmt"
	"io"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/output"
	"fairbridge/policy"
	"fairbridge/replica/measure"
	"fairbridge/replica/published"
	"fairbridge/replica/study"
)

// comparisonLine is what --json prints of a policy: medians, and beside them the
// least and greatest of each figure.
type comparisonLine struct {
	measure.Summary
	Knowledge
	Seeds     int                   `json:"seeds"`
	Min       *measure.Summary      `json:"min,omitempty"`
	Max       *measure.Summary      `json:"max,omitempty"`
	Published []published.ResultRow `json:"published,omitempty"`
}

// Knowledge is what --json says of what policies are told.
type Knowledge struct {
	RunTimes  study.RunTimeSource `json:"run_times"`      // from where policies know them
	Limits    study.LimitSource   `json:"time_limits"`    // where those of plain jobs come from
	Reporting int                 `json:"reporting_jobs"` // whose progress policies are told
}

// NewKnowledge is that of an experiment.
func NewKnowledge(e *study.Experiment) Knowledge {
	return Knowledge{e.RunTimeSource(), e.Scenarios[0].LimitSource, e.CountReportingJobs()}
}

// failureLine is what --json prints of a policy that has no figures.
type failureLine struct {
	Policy string `json:"policy"`
	Trace  string `json:"trace"`
	Error  string `json:"error"`
}

// PrintComparison prints what came of it; its error says what failed.
func PrintComparison(w io.Writer, e *study.Experiment, results []study.Result, json bool) error {
	if json {
		if err := output.WriteJSONLines(w, newComparisonLines(e, results)); err != nil {
			return err
		}
		return study.CheckFailures(results)
	}
	printable.Fprintln(w, DescribeExperiment(e))
	PrintInformation(w, e)
	printable.Fprintf(w, "\n")
	PrintResults(w, e.NewRows(results), len(e.Scenarios), !e.HasTraining())
	for i := range results {
		if err := results[i].Err; err != nil && !errors.Is(err, study.ErrInterrupted) {
			output.WriteParagraph(w, "", fmt.Sprintf("%s failed: %v", results[i].Label, err))
		}
	}
	printable.Fprintlines(w, "\n"+ResultsLegend)
	for _, s := range e.PublishedSources() {
		printable.Fprintln(w, s)
	}
	return study.CheckFailures(results)
}

// PrintInformation says what policies are told.
func PrintInformation(w io.Writer, e *study.Experiment) {
	printable.Fprintln(w, e.DescribeInformation())
	if text := e.DescribeNoise(); text != "" {
		printable.Fprintln(w, text)
	}
}

func newComparisonLines(e *study.Experiment, results []study.Result) []any {
	var list []any
	for i := range results {
		r := &results[i]
		if r.Err != nil {
			list = append(list, failureLine{r.Label, e.Scenarios[0].Name, r.Err.Error()})
			continue
		}
		c := comparisonLine{Summary: r.Median, Seeds: r.RunCount, Knowledge: NewKnowledge(e)}
		if c.Seeds > 1 {
			c.Min, c.Max = &r.Min, &r.Max
		}
		for _, p := range e.PublishedRows {
			if p.OurPolicy == r.Label {
				c.Published = append(c.Published, p)
			}
		}
		list = append(list, c)
	}
	return list
}

// DescribeExperiment says what was compared on what, and how figures of several seeds are shown.
func DescribeExperiment(e *study.Experiment) string {
	return DescribeExperimentAs(e, "medians (least–greatest)")
}

// DescribeExperimentAs is DescribeExperiment where they are shown otherwise.
func DescribeExperimentAs(e *study.Experiment, figures string) string {
	first := e.Scenarios[0]
	s := fmt.Sprintf(
		"%s: %s on %s",
		first.Name,
		policy.FormatCount(len(first.Jobs), "job"),
		policy.FormatCount(first.CountGPUs(), "GPU"),
	)
	if n := len(e.Scenarios); n > 1 {
		s += fmt.Sprintf(", %d seeds: %s", n, figures)
	}
	if text := e.DescribeChanges(); text != "" {
		s += "; " + text
	}
	return s + "; " + e.DescribeRunTimes() + "."
}

// minWidthOfAllMetrics is the width from which a terminal shows all metrics.
const minWidthOfAllMetrics = 132

// PrintResults prints the rows with the metrics there is room for; those of
// several runs need more. Of plain jobs others come first than of training jobs.
func PrintResults(w io.Writer, rows []study.TableRow, runs int, arePlain bool) {
	width := output.TerminalWidth(w)
	var metrics []*measure.Metric
	head := []any{"POLICY"}
	for _, m := range study.ListMetrics(rows) {
		if m.IsShownNarrow(arePlain) || runs == 1 && (width == 0 || width >= minWidthOfAllMetrics) {
			metrics, head = append(metrics, m), append(head, m.ColumnHead)
		}
	}
	t := NewNumberTable(w, head...)
	for _, r := range rows {
		cells := []any{""}
		if r.PublishedRow != nil {
			cells[0] = "  published: " + r.PublishedRow.Name
		} else {
			cells[0] = r.Label
		}
		for _, text := range r.Cells(metrics) {
			cells = append(cells, cmp.Or(text, "–"))
		}
		t.AddRow(cells...)
	}
	t.Print()
}

// NewNumberTable is a table whose columns are figures, but for the first.
func NewNumberTable(w io.Writer, head ...any) *output.Table {
	s := output.NewTable(w, head...)
	s.Width = 0 // figures are never wrapped
	var right []table.ColumnConfig
	for i := 1; i < len(head); i++ {
		right = append(right, table.ColumnConfig{Number: i + 1, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	s.SetColumnConfigs(right)
	s.Style().Format.Header = text.FormatDefault // ρ stays ρ
	return s
}

// ResultsLegend explains the columns.
const ResultsLegend = `Times in seconds; JCT: from arrival to completion; QUEUE: the part of it not running;
ρ: JCT over what an equal part of the cluster would have needed; UNFAIR: jobs with ρ > 1.05;
ρ': the same with an equal part for the jobs that were there meanwhile, not all of the trace;
LOST: GPU-hours without progress; MKSP>LB, JCT>LB: above what no schedule can fall below;
SLOWDOWN: JCT over run time (of 10 s at least), in the mean, and of the WORST ACCount;
PRED ERR, P99 ERR: of the JCT predicted at arrival (clock pcs); WALL: time the simulation took;
UNUSABLE: GPUs free where no waiting job could use them; BLOCKED: GPUs waited for while as many were free.`
