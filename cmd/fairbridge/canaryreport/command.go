// Package canaryreport is the command report canary.
package canaryreport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"fairbridge/accounting/stores"
	"fairbridge/bridge"
	"fairbridge/cmd/fairbridge/replaycommand"
	"fairbridge/cmd/fairbridge/shadowreport"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
	"fairbridge/cmd/settings"
	"fairbridge/replica/canary"
	"fairbridge/replica/shadow"
	"fairbridge/replica/study"
)

// canaryFlags are those of report canary.
type canaryFlags struct {
	partition string
	shadowreport.RunFlags
}

// NewCommand makes the command that judges the days of a canary.
func NewCommand(o *cli.Options) *cobra.Command {
	f := &canaryFlags{}
	c := &cobra.Command{
		Use:   "canary",
		Short: "Whether jobs fare better or worse on the days on which a canary's candidate decides",
		Long: `Judge the days on which the candidate of a canary decided about a partition against those
of the partition's own policy. Each whole day is simulated under Slurm alone, from the
jobs that were there at its midnight on, and what really became of the jobs submitted on
it is set against that: mean completion, mean wait, the bounded slowdown of gangs, and the
worst account. Then the days of one week are compared with each other, by a test of all
ways to draw them. Days on which the daemon did not run, the partition was observed or
demoted, or another policy decided are left out and named. Nothing is said before there
are 4 days of the candidate in 2 weeks. Takes seconds to minutes for each day. The
database is read, nothing is changed.

Exit status 0 when the candidate was found better, or no difference was seen; 3 when it
was found worse, or cannot be judged yet, or ever. --json says which (verdict).`,
		Example: `  fairbridge report canary
  fairbridge report canary -p gpu --seeds 5 --html canary.html
  fairbridge report canary --json | jq -r '.[].verdict'`,
		Args: cli.CheckArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c, o) },
	}
	s := c.Flags()
	s.StringVarP(&f.partition, "partition", "p", "", "partition (default: all that have a canary)")
	f.AddTo(c, 3, "also write a page to this file")
	cobra.CheckErr(c.RegisterFlagCompletionFunc("partition", o.CompletePartitionNames()))
	return o.AddJSONFlag(c)
}

func (f *canaryFlags) run(c *cobra.Command, o *cli.Options) error {
	if err := f.CheckPage(); err != nil {
		return err
	}
	file, loop, asked, err := f.readCanaries(o)
	if err != nil {
		return err
	}
	options := study.RunOptions{Seed: f.Seed}
	unread, err := replaycommand.ReadSlurmConf(c.Context(), f.SlurmConfFile, file.Slurm.Scontrol, &options)
	if err != nil {
		return err
	}
	db, err := cli.OpenDB(c.Context(), file)
	if err != nil {
		return err
	}
	defer db.Close()
	if unread != "" && !o.JSON {
		output.WriteParagraph(c.ErrOrStderr(), "", unread+".")
	}
	var reports []*canary.Report
	for i := range asked {
		r, err := f.judge(c, db, loop, &asked[i], options)
		if err != nil {
			return fmt.Errorf("judging the canary of partition %s: %w", asked[i].Name, err)
		}
		reports = append(reports, r)
	}
	return f.write(c.OutOrStdout(), file.Cluster, reports, o.JSON)
}

// readCanaries reads the configuration, and returns the partitions that are asked about.
func (f *canaryFlags) readCanaries(o *cli.Options) (file *settings.File, loop bridge.Config, asked []bridge.Partition, err error) {
	if file, err = o.LoadSettings(); err != nil {
		return file, loop, nil, err
	}
	if err := cli.CheckPartitionName(file, f.partition); err != nil {
		return file, loop, nil, cli.NewUsageError(err)
	}
	if loop, err = file.LoopConfig(); err != nil {
		return file, loop, nil, err
	}
	for i := range loop.Partitions {
		if p := &loop.Partitions[i]; p.Canary != nil && (f.partition == "" || p.Name == f.partition) {
			asked = append(asked, *p)
		}
	}
	if len(asked) == 0 {
		err = cli.NewUsageError(errors.New("no canary is configured there: see partitions[].canary in docs/safety.md"))
	}
	return file, loop, asked, err
}

// judge judges the canary of one partition, and shows how far it is.
func (f *canaryFlags) judge(c *cobra.Command, db *stores.Stores, loop bridge.Config, p *bridge.Partition, o study.RunOptions) (*canary.Report, error) {
	demotions, standing, err := readDemotions(c.Context(), db, loop.ClusterName, p)
	if err != nil {
		return nil, err
	}
	trial, err := canary.ReadTrial(c.Context(), replaycommand.SiteRecord{Stores: db}, loop, p, demotions)
	if err != nil {
		return nil, err
	}
	bar := output.NewProgressBar(c.ErrOrStderr(), trial.CountRuns(f.SeedCount))
	defer bar.Clear()
	r, err := trial.Judge(c.Context(), shadow.Options{
		RunOptions: o, SeedCount: f.SeedCount, ParallelRuns: f.ParallelRuns,
		Progress: func(run int, label string, done, of int) { bar.NewUpdater(run, label)(done, of) },
	})
	if err != nil {
		return nil, err
	}
	r.Demotion = standing
	return r, nil
}

// readDemotions reads the demotions of the candidate, each with its end, and that which stands, nil
// where none does.
func readDemotions(ctx context.Context, db *stores.Stores, cluster string, p *bridge.Partition) (all []bridge.Demotion, standing *bridge.Demotion, err error) {
	recorded, err := db.ListDemotions(ctx, cluster, p.Canary.Since)
	for i := range recorded {
		d := recorded[i].Demotion
		if d.Partition != p.Name || d.Candidate != p.Canary.Candidate() {
			continue
		}
		if recorded[i].Stands {
			standing = &recorded[i].Demotion
		}
		if cleared := recorded[i].Cleared; !cleared.IsZero() {
			d.Until = cleared
		}
		all = append(all, d)
	}
	return all, standing, err
}

// write writes the reports, and returns cli.ErrFinding where one is worse, or cannot be judged.
func (f *canaryFlags) write(w io.Writer, cluster string, reports []*canary.Report, json bool) error {
	err := f.SavePage(func(w io.Writer) error { return canary.WritePage(w, cluster, reports, cli.MadeByText()) })
	if err != nil {
		return err
	}
	if err := shadowreport.WriteReports(w, reports, json, printReport); err != nil {
		return err
	}
	if slices.ContainsFunc(reports, func(r *canary.Report) bool { return r.Verdict != canary.Better && r.Verdict != canary.NoDifference }) {
		return cli.ErrFinding
	}
	return nil
}

// printReport prints one report.
func printReport(w io.Writer, r *canary.Report) {
	output.WriteParagraph(w, "", r.Heading()+".")
	if r.Demotion != nil {
		output.WriteParagraph(w, "", "DEMOTED: "+r.Demotion.Text())
	}
	output.WriteParagraph(w, "", r.Summarize())
	if text := r.DescribeTest(); text != "" {
		output.WriteParagraph(w, "", text)
	}
	shadowreport.PrintTables(w, r.Tables())
}
