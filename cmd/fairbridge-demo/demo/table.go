package demo

import (
	"fmt"
	"io"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"fairbridge/bridge/printable"
	"fairbridge/cmd/fairbridge-demo/workday"
	"fairbridge/policy"
)

// Comparison is what a demonstration found.
type Comparison struct {
	SlurmTitle        string           `json:"slurm"`
	Seed              uint64           `json:"seed"`
	Policy            string           `json:"policy"`
	AloneFigures      *workday.Figures `json:"slurm_alone"`
	FairbridgeFigures *workday.Figures `json:"with_fairbridge"`
	ChangesByKind     map[string]int   `json:"changes"`           // made in Slurm, by kind
	Machine           *MachineReport   `json:"machine,omitempty"` // absent in virtual time, which waits for every machine
}

// figureDefinitions say how the figures of the table are worked out.
const figureDefinitions = `Wait: from submission to start, plus the waits after requeues; the first waits that replay prints below end
at the first start. Finish-time fairness: from submission to end, divided by what it would take had each
account its entitled part of the GPUs to itself, first come, first served (a job wider than that part takes
all of it and runs slower in proportion); above 1, sharing cost the job time. GPU share: of all GPUs while
any job waited, against the account's entitlement then (by shares; what one account does not ask for goes
to the others).
`

// formatSeconds prints seconds, long times in minutes.
func formatSeconds(v float64) string {
	if v >= 600 {
		return fmt.Sprintf("%.0f min", v/60)
	}
	return fmt.Sprintf("%.0f s", v)
}

func formatFactor(v float64) string { return fmt.Sprintf("%.2f", v) }

func formatPercent(v float64) string { return fmt.Sprintf("%.0f %%", 100*v) }

// printTable prints the figures before and after, and how they are defined.
func printTable(w io.Writer, c *Comparison) {
	t := table.NewWriter()
	t.SetOutputMirror(w)
	style := table.StyleLight
	style.Format.Header = text.FormatDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Options.SeparateHeader = true
	t.SetStyle(style)
	t.SetColumnConfigs([]table.ColumnConfig{{Number: 2, Align: text.AlignRight, AlignHeader: text.AlignRight}, {Number: 3, Align: text.AlignRight, AlignHeader: text.AlignRight}})
	t.AppendHeader(table.Row{fmt.Sprintf("%d jobs, %d GPUs", c.AloneFigures.JobCount, workday.TotalGPUs), "Slurm alone", "with fairbridge"})
	row := func(name string, show func(float64) string, a, b float64) {
		t.AppendRow(table.Row{name, show(a), show(b)})
	}
	a, b := c.AloneFigures, c.FairbridgeFigures
	row("wait, median", formatSeconds, a.WaitMedian, b.WaitMedian)
	row("wait, 95th percentile", formatSeconds, a.WaitP95, b.WaitP95)
	row("submission to end, median", formatSeconds, a.TurnaroundMedian, b.TurnaroundMedian)
	row("submission to end, mean", formatSeconds, a.TurnaroundMean, b.TurnaroundMean)
	row("finish-time fairness, median", formatFactor, a.FairnessMedian, b.FairnessMedian)
	row("finish-time fairness, worst", formatFactor, a.FairnessWorst, b.FairnessWorst)
	row("jobs that sharing cost time", formatPercent, a.UnfairFraction, b.UnfairFraction)
	for i := range a.AccountShares {
		t.AppendRow(table.Row{"GPU share of " + a.AccountShares[i].Account, shareText(a.AccountShares[i]), shareText(b.AccountShares[i])})
	}
	t.AppendRow(table.Row{"requeues", a.RequeueCount, b.RequeueCount})
	row("GPUs idle", formatPercent, a.IdleFraction, b.IdleFraction)
	row("GPUs idle while jobs wait", formatPercent, a.ContendedIdleFraction, b.ContendedIdleFraction)
	row("first submission to last end", formatSeconds, a.MakespanSeconds, b.MakespanSeconds)
	t.Render()
	if n := max(a.ExcessGPUs, b.ExcessGPUs); n > 0 {
		printable.Fprintf(w, "\nSlurm's records contradict themselves: at some moment %s more than there are were held, so idle reads too low.\nSlurm 22.05 writes the runs of a job that was requeued after its node list was changed while it ran into one, with the wait between them.\n", policy.FormatCount(n, "GPU"))
	}
	printable.Fprintlines(w, "\n"+figureDefinitions)
}

func shareText(s workday.AccountShare) string {
	return fmt.Sprintf("%s of %s", formatPercent(s.Held), formatPercent(s.Entitled))
}
