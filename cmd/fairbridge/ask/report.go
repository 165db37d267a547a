package ask

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"fairbridge/accounting/report"
	"fairbridge/api"
	"fairbridge/bridge/datafile"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
	"fairbridge/cmd/internal/source"
)

// reportOptions are the flags of report.
type reportOptions struct {
	since, until, format, outputFile string
	report.Scope
}

const reportHelp = `Answer a question about the past from Postgres. Without a name, list the questions;
all answers every one. Times are as 7d, 36h, 2026-03-02 or 2026-03-02T15:00 (UTC).
Reports by day take the whole first and last day (UTC). What changed since the
daemon last summed up is summed up first, where the database lets us. What is not yours
to see is left out, and that is said. Exit status 3 when no run of the account or user
is recorded, or none that you may see.

`

func newReportCommand(o *cli.Options, open opener, own []*cobra.Command) *cobra.Command {
	a := &reportOptions{}
	c := &cobra.Command{
		Use:   "report [NAME]",
		Short: "Figures for managers: use, efficiency, waits, fairness, idle GPUs",
		Long:  reportHelp + source.Rule,
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
			return answerReport(c, o, open, a, names[0])
		},
	}
	f := c.Flags()
	f.StringVar(&a.since, "since", "7d", "begin: so long ago, or a time")
	f.StringVar(&a.until, "until", "", "end: so long ago, or a time (default now)")
	f.StringVarP(&a.Account, "account", "A", "", "only this account")
	f.StringVar(&a.User, "user", "", "only this user")
	f.StringVar(&a.format, "format", "table", "table, csv, json or html")
	f.StringVarP(&a.outputFile, "out", "o", "", "write to this file instead of standard output")
	for _, r := range own {
		c.AddCommand(withConfiguration(o, r))
	}
	return c
}

func completeReportNames(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var all []cobra.Completion
	for _, r := range report.AllReports() {
		all = append(all, cobra.CompletionWithDesc(r.Name, r.Title))
	}
	return all, cobra.ShellCompDirectiveNoFileComp
}

// needsConfiguration is said of what no daemon answers.
const needsConfiguration = "needs the configuration: for administrators"

// withConfiguration has a command say that where it cannot read the configuration.
func withConfiguration(o *cli.Options, c *cobra.Command) *cobra.Command {
	run := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		f, err := os.Open(o.ConfigPath)
		if err != nil {
			return cli.NewUsageError(fmt.Errorf("%s %s: %w", c.CommandPath(), needsConfiguration, err))
		}
		_ = f.Close()
		return run(c, args)
	}
	return c
}

// listedReports are those of report, and last those that are commands of their own.
func listedReports() []report.Report {
	own := func(name, title string) report.Report {
		return report.Report{Name: name, Title: title + ": a command of its own; it " + needsConfiguration, Explanation: "fairbridge report " + name + " --help has its flags; it is not among those that all answers."}
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

func answerReport(c *cobra.Command, o *cli.Options, open opener, a *reportOptions, name string) error {
	if o.JSON {
		a.format = "json"
	}
	list, err := a.selectReports(name, time.Now())
	if err != nil {
		return cli.NewUsageError(err)
	}
	if a.outputFile != "" {
		if err := datafile.CheckWritable(a.outputFile, true); err != nil {
			return err
		}
	}
	return withSource(c, o, open, func(ctx context.Context, s source.Source) error {
		var all []*api.Report
		for _, r := range list {
			answer, err := s.Report(ctx, r.Name, api.ReportQuery{Since: a.Since, Until: a.Until, Account: a.Account, User: a.User})
			if api.CodeOf(err) == api.CodeForbidden && len(list) > 1 {
				continue // it is about others too, and private here
			}
			if err != nil {
				return tellUnknown(c, err)
			}
			answer.Report = r // how it is drawn is not part of an answer
			all = append(all, answer)
		}
		if len(all) == 0 {
			return &api.Error{Code: api.CodeForbidden, Message: "no report is yours to see here", Try: "ask an operator"}
		}
		a.Cluster = all[0].Cluster
		return a.writeAnswers(c.OutOrStdout(), all)
	})
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
