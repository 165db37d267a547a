package guardcommand

import (
	"fmt"
	"io"
	"time"

	"fairbridge/bridge/harm"
	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
	"fairbridge/cmd/internal/trial"
	"fairbridge/policy"
	"fairbridge/replica/shadow"
)

// writeOutcomes writes what was found, and returns cli.ErrFinding where that is harm.
func writeOutcomes(w io.Writer, outcomes []outcome, dryRun, json bool) error {
	isBad := false
	for i := range outcomes {
		isBad = isBad || outcomes[i].Verdict == harm.Harm || outcomes[i].Demotion != nil
	}
	if json {
		if err := output.WriteJSON(w, outcomes); err != nil {
			return err
		}
	} else {
		printOutcomes(w, outcomes, dryRun)
	}
	if isBad {
		return cli.ErrFinding
	}
	return nil
}

func printOutcomes(w io.Writer, outcomes []outcome, dryRun bool) {
	if len(outcomes) == 0 {
		output.WriteParagraph(w, "", "No partition is live: in modes off and observe nothing is sent, and there is nothing to check.")
	}
	for i := range outcomes {
		if i > 0 {
			printable.Fprintf(w, "\n")
		}
		o := &outcomes[i]
		output.WriteParagraph(w, "", o.Partition+": "+o.Summarize())
		printFigures(w, &o.Check)
		if o.Demotion != nil {
			output.WriteParagraph(w, "", "DEMOTED: "+o.Demotion.Text())
		}
	}
	if dryRun {
		printable.Fprintf(w, "Nothing was stored (--dry-run).\n")
	}
}

// maxFiguresShown is how many figures of a check are printed; all are in the JSON.
const maxFiguresShown = 30

// printFigures prints what a check is made of, in the order of the check.
func printFigures(w io.Writer, c *harm.Check) {
	if len(c.Figures) == 0 {
		return
	}
	t := trial.NewNumberTable(w, "WHAT", "OF", "JOBS", "LIVE", "SLURM ALONE", "GIVE OR TAKE", "ALLOWED", "CLAIM")
	for i := range c.Figures[:min(len(c.Figures), maxFiguresShown)] {
		f := &c.Figures[i]
		t.AddRow(string(f.Kind), whoText(f), fmt.Sprint(f.JobCount), f.FormatAmount(f.Live), f.FormatAmount(f.Alone), f.FormatAmount(f.Doubt()), "+"+f.FormatAmount(f.Bound), string(f.Claim))
	}
	t.Print()
	if n := len(c.Figures) - maxFiguresShown; n > 0 {
		printable.Fprintf(w, "and %s more: see --json\n", policy.FormatCount(n, "figure"))
	}
	output.WriteParagraph(w, "", fmt.Sprintf("Of jobs that arrived from %s to %s, decided by %s, in mode %s, with %s of ours; simulated %d times as it was done, and %d times under Slurm alone.",
		c.Since.UTC().Format(time.DateTime), c.Until.UTC().Format(time.DateTime), c.Policy, c.Mode, policy.FormatCount(c.StopCount, "stop"), c.SeedCount, c.SeedCount*shadow.AloneRuns))
}

func whoText(f *harm.Figure) string {
	switch {
	case f.Account != "":
		return "account " + f.Account
	case f.Size != "":
		return f.Size
	}
	return "all"
}
