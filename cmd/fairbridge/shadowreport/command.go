// Package shadowreport is the command report shadow.
package shadowreport

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fairbridge/accounting/stores"
	"fairbridge/bridge"
	"fairbridge/cmd/fairbridge/replaycommand"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
	"fairbridge/cmd/settings"
	"fairbridge/replica/policyset"
	"fairbridge/replica/replay"
	"fairbridge/replica/shadow"
	"fairbridge/replica/study"
)

// shadowFlags are those of report shadow.
type shadowFlags struct {
	last, since, until string
	partition          string
	policyName, mode   string
	RunFlags

	from, to time.Time // as last, since and until say
}

// NewCommand makes the command that says what a plan of ours would have changed on the
// site's own past.
func NewCommand(o *cli.Options) *cobra.Command {
	f := &shadowFlags{}
	c := &cobra.Command{
		Use:   "shadow",
		Short: "What our plan would have changed: the page to read before switching on",
		Long: `Take what each partition ran, from the record of a daemon that observed, and
simulate it several times: under Slurm alone, and with the policy, mode, budgets and
opted-in jobs of the configuration; a partition in mode observe as mode preempt. For all
jobs, accounts and sizes of jobs: who would have waited less or more, by how much, and
how far that may be off; who loses; the stops of jobs and the writes to Slurm.

First the simulation of what was really done is compared with what happened. What is not
larger than that error is not claimed: the report says "cannot tell". Takes seconds to
minutes for each day and run. The database is read, nothing is changed.

Exit status 3 unless, so far as can be told, jobs of every partition would have waited
less in the mean and those of no account more.`,
		Example: `  fairbridge report shadow
  fairbridge report shadow --last 14d --html shadow.html
  fairbridge report shadow -p gpu --mode rank --seeds 5 --json
  fairbridge report shadow -p gpu --policy srtf --since 2026-03-02 --until 2026-03-09`,
		Args: cli.CheckArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c, o) },
	}
	f.addFlags(c)
	return o.AddJSONFlag(c)
}

func (f *shadowFlags) addFlags(c *cobra.Command) {
	s := c.Flags()
	s.StringVar(&f.last, "last", "7d", "the time until now: so long")
	s.StringVar(&f.since, "since", "", "begin, in place of --last: so long ago, or a time")
	s.StringVar(&f.until, "until", "", "end: so long ago, or a time (default now)")
	s.StringVarP(&f.partition, "partition", "p", "", "partition (default: all that are configured and not off)")
	s.StringVar(&f.policyName, "policy", "", "another policy than the configured one")
	s.StringVar(&f.mode, "mode", "", "another mode: rank, steer or preempt")
	f.AddTo(c, 5, "also write a page with drawings to this file")
	cobra.CheckErr(c.RegisterFlagCompletionFunc("mode", cobra.FixedCompletions(shadowModes, cobra.ShellCompDirectiveNoFileComp)))
}

// shadowModes are the modes in which something reaches Slurm.
var shadowModes = []string{string(bridge.ModeRank), string(bridge.ModeSteer), string(bridge.ModePreempt)}

func (f *shadowFlags) run(c *cobra.Command, o *cli.Options) error {
	file, plans, err := f.readPlans(o)
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
	var reports []*shadow.Report
	for i := range plans {
		site, err := f.readSite(c.Context(), db, file, plans[i].partition)
		if err != nil {
			return err
		}
		if unread != "" {
			site.Remarks = append(site.Remarks, unread)
		}
		r, err := f.newReport(c, site, plans[i].Plan, options)
		if err != nil {
			return err
		}
		reports = append(reports, r)
	}
	return f.write(c.OutOrStdout(), file.Cluster, reports, o.JSON)
}

// readPeriod reads the flags of the time that is meant.
func (f *shadowFlags) readPeriod(now time.Time) (err error) {
	if f.from, err = cli.ParseTime(cmp.Or(f.since, f.last), now); err != nil {
		return fmt.Errorf("%s: %w", map[bool]string{true: "--last", false: "--since"}[f.since == ""], err)
	}
	if f.to = now; f.until != "" {
		if f.to, err = cli.ParseTime(f.until, now); err != nil {
			return fmt.Errorf("--until: %w", err)
		}
	}
	if !f.from.Before(f.to) {
		return errors.New("the time ends before it begins: see --since and --until")
	}
	return nil
}

// partitionPlan is what is asked about a partition.
type partitionPlan struct {
	partition string
	shadow.Plan
}

// readPlans reads the configuration and the flags, before anything is opened or written.
func (f *shadowFlags) readPlans(o *cli.Options) (*settings.File, []partitionPlan, error) {
	if f.since != "" && f.last != "7d" {
		return nil, nil, cli.NewUsageError(errors.New("--last ends now, --since begins then: give one of them"))
	}
	if err := f.readPeriod(time.Now()); err != nil {
		return nil, nil, cli.NewUsageError(err)
	}
	if f.mode != "" && !slices.Contains(shadowModes, f.mode) {
		return nil, nil, cli.NewUsageError(fmt.Errorf("--mode %s: it is one of %s", f.mode, strings.Join(shadowModes, ", ")))
	}
	if err := f.CheckPage(); err != nil {
		return nil, nil, err
	}
	file, err := o.LoadSettings()
	if err != nil {
		return nil, nil, err
	}
	loop, err := file.LoopConfig()
	if err != nil {
		return nil, nil, err
	}
	var plans []partitionPlan
	for i := range loop.Partitions {
		p := &loop.Partitions[i]
		if f.partition != "" && p.Name != f.partition || f.partition == "" && p.Mode == bridge.ModeOff {
			continue
		}
		plan, err := f.newPlan(p)
		if err != nil {
			return nil, nil, err
		}
		plans = append(plans, partitionPlan{p.Name, plan})
	}
	if len(plans) == 0 {
		return nil, nil, cli.NewUsageError(fmt.Errorf("no such partition is configured: there are %s", strings.Join(file.PartitionNames(), ", ")))
	}
	return file, plans, nil
}

// newPlan is what is asked about a partition: as configured, but for the flags.
func (f *shadowFlags) newPlan(p *bridge.Partition) (plan shadow.Plan, err error) {
	if plan.Mode = cmp.Or(bridge.Mode(f.mode), p.PlanMode()); !plan.Mode.Allows(bridge.ModeRank) {
		plan.Mode = bridge.ModePreempt
	}
	if f.policyName == "" {
		plan.Policy, err = policyset.ChoiceFromRecord(p.Policy, p.Params)
		return plan, err
	}
	list, err := policyset.ParsePolicies(f.policyName, false)
	switch {
	case err != nil:
		return plan, cli.NewUsageError(err)
	case len(list) != 1 || list[0].Label == policyset.SlurmName:
		return plan, cli.NewUsageError(errors.New("--policy: name one policy of ours; Slurm alone is what it is compared with"))
	}
	plan.Policy = list[0]
	return plan, nil
}

// readSite reads what a partition ran.
func (f *shadowFlags) readSite(ctx context.Context, db *stores.Stores, file *settings.File, partition string) (*replay.PastScenario, error) {
	p := replay.Period{Cluster: file.Cluster, Partition: partition, Since: f.from, Until: f.to}
	var err error
	if p.LoopConfig, err = file.LoopConfig(); err != nil {
		return nil, err
	}
	return p.ReadScenario(ctx, replaycommand.SiteRecord{Stores: db})
}

// newReport simulates, and shows how far it is.
func (f *shadowFlags) newReport(c *cobra.Command, site *replay.PastScenario, plan shadow.Plan, o study.RunOptions) (*shadow.Report, error) {
	runs := shadow.CountRuns(site, f.SeedCount)
	bar := output.NewProgressBar(c.ErrOrStderr(), runs)
	defer bar.Clear()
	return shadow.NewReport(c.Context(), site, plan, shadow.Options{
		RunOptions: o, SeedCount: f.SeedCount, ParallelRuns: f.ParallelRuns,
		Progress: func(run int, label string, done, of int) { bar.NewUpdater(run, label)(done, of) },
	})
}
