package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fairbridge/accounting"
	"fairbridge/accounting/report"
	"fairbridge/accounting/stores"
	"fairbridge/bridge/printable"
	"fairbridge/bridge/study/datafile"
	"fairbridge/cmd/fairbridge/canaryreport"
	"fairbridge/cmd/fairbridge/shadowreport"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
)

// reportOptions are the flags of report.
type reportOptions struct {
	since, until, format, outputFile string
	report.Scope
}

func newReportCommand(o *cli.Options) *cobra.Command {
	a := &reportOptions{}
	c := &cobra.Command{
		Use:   "report [NAME]",
		Short: "Figures for managers: use, efficiency, waits, fairness, idle GPUs",
		Long: `Answer a question about the past from Postgres. Without a name, list the questions;
all answers every one. Times are as 7d, 36h, 2026-03-02 or 2026-03-02T15:00 (UTC).
Reports by day take the whole first and last day (UTC). What changed since the
daemon last summed up is summed up first, where the database lets us. Exit status 3
when no run of the account or user is recorded.`,
		Example: `  fairbridge report
  fairbridge report usage --since 30d
  fairbridge report waits --account physics --format csv
  fairbridge report all --since 90d --format html --out report.html`,
		Args:              cli.CheckArgs(cobra.MaximumNArgs(1)),
		ValidArgsFunction: completeReportNames,
		RunE: func(c *cobra.Command, names []string) error {
			if len(names) == 0 {
				return listReports(c, o)
			}
			return runReport(c, o, a, names[0])
		},
	}
	f := c.Flags()
	f.StringVar(&a.since, "since", "7d", "begin: so long ago, or a time")
	f.StringVar(&a.until, "until", "", "end: so long ago, or a time (default now)")
	f.StringVar(&a.Account, "account", "", "only this account")
	f.StringVar(&a.User, "user", "", "only this user")
	f.StringVar(&a.format, "format", "table", "table, csv, json or html")
	f.StringVarP(&a.outputFile, "out", "o", "", "write to this file instead of standard output")
	c.AddCommand(shadowreport.NewCommand(o), canaryreport.NewCommand(o))
	return o.AddJSONFlag(c)
}

func completeReportNames(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var all []cobra.Completion
	for _, r := range report.AllReports() {
		all = append(all, cobra.CompletionWithDesc(r.Name, r.Title))
	}
	return all, cobra.ShellCompDirectiveNoFileComp
}

// listedReports are those of report, and last those that are commands of their own.
func listedReports() []report.Report {
	own := func(name, title string) report.Report {
		return report.Report{Name: name, Title: title + ": a command of its own, with flags of its own", Explanation: "fairbridge report " + name + " --help has its flags; it is not among those that all answers."}
	}
	return append(report.AllReports(), own("shadow", "What our plan would have changed, simulated"), own("canary", "Whether jobs fare better or worse on the days of a canary"))
}

func listReports(c *cobra.Command, o *cli.Options) error {
	if o.JSON {
		return output.WriteJSON(c.OutOrStdout(), listedReports())
	}
	t := output.NewTable(c.OutOrStdout(), "NAME", "WHAT IT SHOWS")
	for _, r := range listedReports() {
		t.AddRow(r.Name, r.Title)
	}
	t.Print()
	return nil
}

func runReport(c *cobra.Command, o *cli.Options, a *reportOptions, name string) error {
	if o.JSON {
		a.format = "json"
	}
	f, err := o.LoadSettings()
	if err != nil {
		return err
	}
	a.Cluster = f.Cluster
	list, err := a.selectReports(name, time.Now())
	if err != nil {
		return cli.NewUsageError(err)
	}
	if a.outputFile != "" {
		if err := datafile.CheckWritable(a.outputFile, true); err != nil {
			return err
		}
	}
	db, err := cli.OpenDB(c.Context(), f)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := sumRecords(c.Context(), db, f.Cluster); err != nil {
		return err
	}
	if err := report.CheckNames(c.Context(), db, a.Scope); err != nil {
		if unknown := (*report.UnknownNameError)(nil); errors.As(err, &unknown) {
			printable.Fprintf(c.ErrOrStderr(), "%v\n", unknown)
			return cli.ErrFinding
		}
		return err
	}
	answers, err := report.RunReports(c.Context(), db, list, a.Scope)
	if err != nil {
		return err
	}
	return a.writeAnswers(c.OutOrStdout(), answers)
}

// selectReports reads the flags and returns the reports that are meant.
func (a *reportOptions) selectReports(name string, now time.Time) (list []report.Report, err error) {
	if a.Since, err = cli.ParseTime(a.since, now); err != nil {
		return nil, fmt.Errorf("--since: %w", err)
	}
	a.Until = now
	if a.until != "" {
		if a.Until, err = cli.ParseTime(a.until, now); err != nil {
			return nil, fmt.Errorf("--until: %w", err)
		}
	}
	if !a.Since.Before(a.Until) {
		return nil, fmt.Errorf("--since %s is not before --until", a.since)
	}
	if !slices.Contains([]string{"table", "csv", "json", "html"}, a.format) {
		return nil, fmt.Errorf("--format %s: it is table, csv, json or html", a.format)
	}
	if name != "all" {
		r, ok := report.FindReport(name)
		if !ok {
			return nil, fmt.Errorf("there is no report %q; fairbridge report lists them", name)
		}
		return []report.Report{r}, r.CheckScope(a.Scope)
	}
	if a.format == "csv" {
		return nil, errors.New("--format csv holds one report, not all")
	}
	return slices.DeleteFunc(report.AllReports(), func(r report.Report) bool { return r.CheckScope(a.Scope) != nil }), nil
}

// sumRecords sums up what changed, GPU readings first. A database that lets us only read is
// as fresh as the daemon keeps it.
func sumRecords(ctx context.Context, db *stores.Stores, cluster string) error {
	_, err := db.RollupDueHours(ctx, cluster, time.Now())
	if err == nil {
		_, err = db.SumDueDays(ctx, cluster)
	}
	if errors.Is(err, accounting.ErrUserRefused) || errors.Is(err, accounting.ErrReadOnly) {
		return nil
	}
	return err
}

// writeAnswers writes the answers to the file asked for, or to out.
func (a *reportOptions) writeAnswers(out io.Writer, all []report.Answer) (err error) {
	if a.outputFile != "" {
		f, e := os.Create(a.outputFile)
		if e != nil {
			return fmt.Errorf("writing the report: %w", e)
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		out = f
	}
	switch a.format {
	case "csv":
		return all[0].Rows.WriteCSV(out)
	case "json":
		if len(all) == 1 {
			return output.WriteJSON(out, all[0])
		}
		return output.WriteJSON(out, all)
	case "html":
		return report.WritePage(out, a.Scope, all, cli.MadeByText())
	}
	printAnswers(out, a.Scope, all)
	return nil
}

func printAnswers(w io.Writer, s report.Scope, all []report.Answer) {
	for i, r := range all {
		if i > 0 {
			printable.Fprintf(w, "\n")
		}
		printable.Fprintln(w, r.Title)
		if i == 0 {
			printable.Fprintln(w, s)
		}
		if r.Explanation != "" {
			output.WriteParagraph(w, "", r.Explanation)
		}
		printable.Fprintf(w, "\n")
		if len(r.Rows.Rows) == 0 {
			printable.Fprintf(w, "Nothing in this time.\n")
			continue
		}
		t := output.NewTable(w, formatCells(r.Rows.HeaderTexts(), strings.ToUpper)...)
		for _, row := range r.Rows.FormatRows() {
			t.AddRow(formatCells(row, func(s string) string { return s })...)
		}
		t.Print()
	}
}

// formatCells are texts as a table takes them.
func formatCells(texts []string, as func(string) string) []any {
	out := make([]any, len(texts))
	for i, s := range texts {
		out[i] = as(s)
	}
	return out
}
