package guardcommand

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fairbridge/accounting/guard"
	"fairbridge/accounting/stores"
	"fairbridge/bridge/harm"
	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
	"fairbridge/cmd/internal/trial"
	"fairbridge/cmd/settings"
	"fairbridge/policy"
	"fairbridge/replica/shadow"
)

func newShowCommand(o *cli.Options) *cobra.Command {
	var last, partition string
	c := &cobra.Command{
		Use:   "show",
		Short: "What the checks of late found, and which partitions are demoted",
		Long: `Print which partitions are demoted, the last check of each with its figures, and what the
checks before it found. Nothing is simulated and nothing is changed.

LIVE is what the jobs met, SLURM ALONE what the simulation says they would have met, which
may be off by GIVE OR TAKE. What is beyond that by more than ALLOWED is harm.

Exit status 3 when a partition, or the candidate of a canary, is demoted.`,
		Example: `  fairbridge guard show
  fairbridge guard show -p gpu --last 30d
  fairbridge guard show --json`,
		Args: cli.CheckArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return show(c, o, last, partition) },
	}
	c.Flags().StringVar(&last, "last", "2d", "the time until now: so long, or a time")
	c.Flags().StringVarP(&partition, "partition", "p", "", "only this partition")
	cobra.CheckErr(c.RegisterFlagCompletionFunc("partition", o.CompletePartitionNames()))
	return o.AddJSONFlag(c)
}

// history is what the guard found and did.
type history struct {
	Demotions []guard.RecordedDemotion `json:"demotions"`
	Checks    []harm.Check             `json:"checks"` // the newest first
}

func show(c *cobra.Command, o *cli.Options, last, partition string) error {
	now := time.Now()
	since, err := cli.ParseTime(last, now)
	if err != nil {
		return cli.NewUsageError(fmt.Errorf("--last: %w", err))
	}
	file, db, err := open(c.Context(), o, func(f *settings.File) error { return cli.CheckPartitionName(f, partition) })
	if err != nil {
		return err
	}
	defer db.Close()
	h, err := readHistory(c.Context(), db, file.Cluster, partition, since)
	if err != nil {
		return err
	}
	if o.JSON {
		err = output.WriteJSON(c.OutOrStdout(), h)
	} else {
		printHistory(c.OutOrStdout(), h, now)
	}
	if err == nil && slices.ContainsFunc(h.Demotions, func(d guard.RecordedDemotion) bool { return d.Stands }) {
		return cli.ErrFinding
	}
	return err
}

// open reads the configuration, has it checked for the partition asked about, and opens the
// database.
func open(ctx context.Context, o *cli.Options, check func(*settings.File) error) (*settings.File, *stores.Stores, error) {
	file, err := o.LoadSettings()
	if err != nil {
		return nil, nil, err
	}
	if err := check(file); err != nil {
		return nil, nil, cli.NewUsageError(err)
	}
	db, err := cli.OpenDB(ctx, file)
	return file, db, err
}

func readHistory(ctx context.Context, db *stores.Stores, cluster, partition string, since time.Time) (h history, err error) {
	all, err := db.ListDemotions(ctx, cluster, since)
	if err != nil {
		return h, err
	}
	h.Demotions, h.Checks = []guard.RecordedDemotion{}, []harm.Check{}
	for i := range all {
		if partition == "" || all[i].Partition == partition {
			h.Demotions = append(h.Demotions, all[i])
		}
	}
	checks, err := db.ListChecks(ctx, cluster, partition, since, maxChecksRead)
	h.Checks = append(h.Checks, checks...)
	return h, err
}

func printHistory(w io.Writer, h history, now time.Time) {
	for i := range h.Demotions {
		output.WriteParagraph(w, "", demotionText(&h.Demotions[i], now))
	}
	if len(h.Checks) == 0 {
		output.WriteParagraph(w, "", "No check is stored: systemctl enable --now fairbridge-guard.timer, or fairbridge guard check.")
		return
	}
	seen := map[string]bool{}
	for i := range h.Checks {
		if c := &h.Checks[i]; !seen[c.Partition] {
			seen[c.Partition] = true
			printable.Fprintf(w, "\n")
			output.WriteParagraph(w, "", fmt.Sprintf("%s, %s ago: %s", c.Partition, output.FormatAge(now, c.At), c.Summarize()))
			printFigures(w, c)
		}
	}
	printable.Fprintf(w, "\n")
	t := output.NewTable(w, "PARTITION", "AGE", "VERDICT", "WHY")
	for i := range h.Checks {
		c := &h.Checks[i]
		t.AddRow(c.Partition, output.FormatAge(now, c.At), string(c.Verdict), c.Reasons[0])
	}
	t.Print()
}

// demotionText says a demotion, and how it ended.
func demotionText(d *guard.RecordedDemotion, now time.Time) string {
	subject := d.Subject()
	subject = strings.ToUpper(subject[:1]) + subject[1:]
	was := "demoted"
	if d.Action != 0 {
		was = fmt.Sprintf("lowered to mode %s", d.LeftMode())
	}
	switch {
	case d.Stands && d.Action != 0:
		return "LOWERED: " + d.Text()
	case d.Stands:
		return "DEMOTED: " + d.Text()
	case d.Cleared.IsZero():
		return fmt.Sprintf("%s was %s by %s from %s to %s.", subject, was, d.By, output.FormatTime(d.Since, now), output.FormatTime(d.Until, now))
	}
	text := fmt.Sprintf("%s was %s by %s from %s until %s cleared that at %s.", subject, was, d.By, output.FormatTime(d.Since, now), d.ClearedBy, output.FormatTime(d.Cleared, now))
	if d.ClearedWhy != "" {
		text += " " + d.ClearedWhy
	}
	return text
}

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
