package demo

import (
	"fmt"
	"io"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Comparison is what a demonstration found.
type Comparison struct {
	Slurm   string         `json:"slurm"`
	Seed    uint64         `json:"seed"`
	Policy  string         `json:"policy"`
	Alone   *Figures       `json:"slurm_alone"`
	With    *Figures       `json:"with_fairbridge"`
	Changes map[string]int `json:"changes"` // made in Slurm, by kind
}

// definitions say how the figures of the table are worked out.
const definitions = `Wait: from submission to start, plus the waits after requeues. Finish-time fairness: from submission to
end, divided by what it would take had each account its entitled part of the GPUs to itself, first come,
first served (a job wider than that part takes all of it and runs slower in proportion); above 1, sharing
cost the job time. GPU share: of all GPUs while any job waited, against the account's entitlement then (by
shares; what one account does not ask for goes to the others).
`

func formatSeconds(v float64) string { return fmt.Sprintf("%.0f s", v) }

func formatTimes(v float64) string { return fmt.Sprintf("%.2f", v) }

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
	t.AppendHeader(table.Row{fmt.Sprintf("%d jobs, %d GPUs", c.Alone.Jobs, totalGPUs), "Slurm alone", "with fairbridge"})
	row := func(name string, show func(float64) string, a, b float64) {
		t.AppendRow(table.Row{name, show(a), show(b)})
	}
	a, b := c.Alone, c.With
	row("wait, median", formatSeconds, a.WaitMedian, b.WaitMedian)
	row("wait, 95th percentile", formatSeconds, a.WaitP95, b.WaitP95)
	row("submission to end, median", formatSeconds, a.Turnaround, b.Turnaround)
	row("submission to end, mean", formatSeconds, a.TurnaroundMean, b.TurnaroundMean)
	row("finish-time fairness, median", formatTimes, a.FairMedian, b.FairMedian)
	row("finish-time fairness, worst", formatTimes, a.FairWorst, b.FairWorst)
	row("jobs that sharing cost time", formatPercent, a.Unfair, b.Unfair)
	for i := range a.Shares {
		t.AppendRow(table.Row{"GPU share of " + a.Shares[i].Account, shareText(a.Shares[i]), shareText(b.Shares[i])})
	}
	t.AppendRow(table.Row{"requeues", a.Requeues, b.Requeues})
	row("GPUs idle", formatPercent, a.Idle, b.Idle)
	row("GPUs idle while jobs wait", formatPercent, a.IdleWaiting, b.IdleWaiting)
	row("first submission to last end", formatSeconds, a.Makespan, b.Makespan)
	t.Render()
	if n := max(a.Excess, b.Excess); n > 0 {
		fmt.Fprintf(w, "\nSlurm's records contradict themselves: at some moment %d GPUs more were held than there are.\n", n)
	}
	fmt.Fprint(w, "\n"+definitions)
}

func shareText(s Share) string {
	return fmt.Sprintf("%s of %s", formatPercent(s.Held), formatPercent(s.Entitled))
}
