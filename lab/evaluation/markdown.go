package evaluation

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"

	"fairbridge/replica/measure"
)

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
