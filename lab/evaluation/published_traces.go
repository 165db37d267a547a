package evaluation

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"fairbridge/lab/experiment"
	"fairbridge/replica/cluster"
	"fairbridge/replica/measure"
	"fairbridge/replica/published"
	"fairbridge/replica/study"
)

// writePublishedTraces compares all policies with the published figures on the published
// traces.
func writePublishedTraces(ctx context.Context, page *bytes.Buffer, o Options) error {
	fmt.Fprint(page, "\n## On the published traces\n")
	if o.TracesFolder == "" {
		fmt.Fprint(page, "\nLeft out: written without the traces of the artifact.\n")
		return nil
	}
	fmt.Fprintf(page, "\nRows in italics are not ours. On 120 jobs they are the %s;\non 220 jobs, for which it has none, those of %s.\n",
		published.ArtifactSource, published.RerunSource)
	for _, t := range []struct{ trace, tables, gpus string }{
		{"120_32gpus.trace", "throughputs_tacc.json", "32"}, {"220_64gpus.trace", "throughputs_wisr.json", "64"},
	} {
		nodes, err := cluster.ParseSpec(t.gpus)
		if err != nil {
			return err
		}
		s, err := experiment.LoadScenario(experiment.ScenarioSource{TracePath: filepath.Join(o.TracesFolder, t.trace), TablesPath: filepath.Join(o.TracesFolder, t.tables), Nodes: nodes})
		if err != nil {
			return err
		}
		if err := writeBesidePublished(ctx, page, s, o); err != nil {
			return err
		}
	}
	return nil
}

// writeBesidePublished writes the tables of one trace.
func writeBesidePublished(ctx context.Context, page *bytes.Buffer, scenario *study.Scenario, o Options) error {
	set := published.FindResultSet(scenario.Jobs, scenario.CountGPUs())
	if set == nil {
		return fmt.Errorf("%s is not the published trace of that name", scenario.Name)
	}
	policies, err := allPolicies()
	if err != nil {
		return err
	}
	ours := map[string]measure.Summary{}
	metrics := metricsByHead("MAKESPAN", "AVG JCT", "P99", "WORST ρ", "MEAN ρ", "UNFAIR", "UTIL", "RESTARTS", "WALL")
	fmt.Fprintf(page, "\n### %d jobs on %d GPUs\n\n", set.JobCount, set.ClusterGPUs)
	writeHeader(page, metricTitles(metrics)...)
	for _, p := range policies {
		o.reportProgressf("%s: %s", scenario.Name, p.Label)
		s, err := runFastest(ctx, scenario, p, 2)
		if err != nil {
			return err
		}
		ours[p.Label] = s
		writeRow(page, summaryCells(p.Label, "%s", &s, metrics)...)
		for _, r := range set.Rows {
			if s := r.Summary(); r.OurPolicy == p.Label {
				writeRow(page, summaryCells(r.Name, "*%s*", &s, metrics)...)
			}
		}
	}
	writeAgreement(page, set, ours)
	return nil
}

// summaryCells prints the figures of a row, each in a form.
func summaryCells(label, form string, s *measure.Summary, metrics []*measure.Metric) []string {
	list := []string{fmt.Sprintf(form, label)}
	for _, m := range metrics {
		text := m.FormatValue(m.ValueOf(s))
		if m.ColumnHead == "WALL" && s.WallSeconds > 0 {
			text = formatDuration(s.WallSeconds)
		}
		list = append(list, fmt.Sprintf(form, text))
	}
	return list
}

// writeAgreement writes by how much ours differ.
func writeAgreement(page *bytes.Buffer, set *published.ResultSet, ours map[string]measure.Summary) {
	fmt.Fprint(page, "\nOurs against the published figures:\n\n")
	writeHeader(page, "Published as", "Ours", "Makespan", "Average JCT", "Worst ρ", "Mean ρ", "Unfair", "Simulated faster by")
	for _, r := range set.Rows {
		s := ours[r.OurPolicy]
		faster := "–"
		if r.WallSeconds > 0 {
			faster = fmt.Sprintf("%.0f ×", r.WallSeconds/s.WallSeconds)
		}
		writeRow(page, r.Name, r.OurPolicy, formatDifference(roundToDecimals(s.Makespan, 3), r.Makespan), formatDifference(roundToDecimals(s.AvgJCT, 3), r.AvgJCT), formatDifference(roundToDecimals(s.WorstRho, 5), r.WorstRho),
			formatDifference(roundToDecimals(s.MeanRho, 6), r.MeanRho), fmt.Sprintf("%+.2f points", 100*(roundToDecimals(s.UnfairShare, 5)-r.UnfairShare)), faster)
	}
}

const pageHead = `# Evaluation

What the policies come to in the simulator, beside what was published, and how
fast the simulator is. This page is written by a command; do not edit it:

` + "```sh" + `
go run ./cmd/evaluation -traces DIR
` + "```" + `

DIR is a folder with the traces of the Shockwave artifact (MIT licence; Zheng et al.,
NSDI 2023) as ` + "`120_32gpus.trace`, `220_64gpus.trace`, `throughputs_tacc.json` and\n`throughputs_wisr.json`" + `; without it, only the workloads that are drawn are
evaluated. All figures but the times of simulations are the same on every run.
Measured with %s.

Plans are carried out at once and exactly unless it says otherwise, with the parameters
each system's own simulator ran with; [simulation.md](simulation.md) says what that
means, and what the figures are. Unfair is the share of jobs with ρ above 1.05.
` + "`hug` and `ref`" + ` have no rows where all jobs are of one account and rigid: there they
are ` + "`drf`" + ` to the digit.
`

// describeMachine says on what was measured.
func describeMachine() string {
	return fmt.Sprintf("%s on %d cores%s", runtime.Version(), runtime.NumCPU(), cpuModel())
}

// cpuModel is the processor's name, where the system tells.
func cpuModel() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return " (" + strings.TrimSpace(value) + ")"
		}
	}
	return ""
}

// writeRow writes one row of a Markdown table.
func writeRow(page *bytes.Buffer, cells ...string) {
	fmt.Fprintf(page, "| %s |\n", strings.Join(cells, " | "))
}

// writeHeader writes the head of a Markdown table.
func writeHeader(page *bytes.Buffer, cells ...string) {
	writeRow(page, cells...)
	writeRow(page, strings.Split(strings.Repeat("--- ", len(cells))[:4*len(cells)-1], " ")...)
}

// formatDuration prints seconds of a simulation.
func formatDuration(s float64) string {
	switch {
	case s < 0.01:
		return fmt.Sprintf("%.1f ms", 1000*s)
	case s < 1:
		return fmt.Sprintf("%.0f ms", 1000*s)
	}
	return fmt.Sprintf("%.1f s", s)
}

// formatDifference prints by how much ours differs from what was published.
func formatDifference(ours, published float64) string {
	if ours == published {
		return "0"
	}
	return fmt.Sprintf("%+.2f %%", 100*(ours/published-1))
}

// roundToDecimals rounds to as many decimals as the published figures have.
func roundToDecimals(v float64, decimals int) float64 {
	power := math.Pow(10, float64(decimals))
	return math.Round(v*power) / power
}

// metricTitles returns the heads of a Markdown table of metrics.
func metricTitles(metrics []*measure.Metric) []string {
	cells := []string{"Policy"}
	for _, m := range metrics {
		cells = append(cells, strings.Replace(m.Title, "Jobs with ρ > 1.05", "Unfair", 1))
	}
	return cells
}
