// Package jobsource is the flags by which commands are told of which jobs they are to tell: those of a trace, or of the
// site's own past.
package jobsource

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fairbridge/cmd/fairbridge/replaycommand"
	"fairbridge/cmd/internal/cli"
	"fairbridge/lab/experiment"
	"fairbridge/lab/trace"
	"fairbridge/policy"
	"fairbridge/replica/cluster"
	"fairbridge/replica/replay"
	"fairbridge/replica/study"
	"fairbridge/replica/workload"
)

// Flags say of which jobs a command tells.
type Flags struct {
	*cli.Options
	source                          experiment.ScenarioSource
	clusterSpec                     string
	partition, sinceText, untilText string // of the site's past
}

// Jobs are the jobs that Flags say.
type Jobs struct {
	*study.Scenario
	Begin time.Time        // calendar time of its first second
	Now   *policy.Snapshot // the partition's last, of the site's past until now; nil: there is none
}

// AddFlags adds the flags.
func (j *Flags) AddFlags(c *cobra.Command) {
	s := c.Flags()
	s.StringVar(&j.source.TracePath, "trace", "", "file with the jobs")
	s.StringVar(&j.source.TraceOptions.Format, "format", "auto", "of the trace: auto, "+strings.Join(trace.FormatNames(), ", "))
	s.BoolVar(&j.source.TraceOptions.SkipBad, "skip-bad", false, "leave out rows that make no sense and jobs that fit nowhere, and count them")
	s.StringVar(&j.clusterSpec, "cluster", "", "the cluster of the trace: 32, or 16x4:a100")
	s.StringVar(&j.sinceText, "since", "", "the cluster's own past since then: so long ago (30d), or a time")
	s.StringVar(&j.untilText, "until", "", "and until then (default: now)")
	s.StringVarP(&j.partition, "partition", "p", "", "partition (default: the only one configured)")
	cobra.CheckErr(c.RegisterFlagCompletionFunc("partition", j.CompletePartitionNames()))
	cobra.CheckErr(c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(append([]string{"auto"}, trace.FormatNames()...), cobra.ShellCompDirectiveNoFileComp)))
}

// Read reads the jobs, from a trace or from the database.
func (j *Flags) Read(ctx context.Context) (*Jobs, error) {
	switch hasTrace, hasPast := j.source.TracePath != "", j.sinceText != ""; {
	case hasTrace == hasPast:
		return nil, cli.NewUsageError(errors.New("say of which jobs: --trace FILE --cluster SPEC, or --since TIME"))
	case hasTrace:
		return j.readTrace()
	}
	return j.readPast(ctx)
}

func (j *Flags) readTrace() (*Jobs, error) {
	if j.clusterSpec == "" {
		return nil, cli.NewUsageError(errors.New("--cluster is missing: how many GPUs has the cluster of the trace?"))
	}
	if all, format := trace.FormatNames(), j.source.TraceOptions.Format; format != "auto" && !slices.Contains(all, format) {
		return nil, cli.NewUsageError(fmt.Errorf("format %q is unknown, there are auto, %s", format, strings.Join(all, ", ")))
	}
	var err error
	if j.source.Nodes, err = cluster.ParseSpec(j.clusterSpec); err != nil {
		return nil, cli.NewUsageError(err)
	}
	s, err := experiment.LoadScenario(j.source)
	return &Jobs{Scenario: s, Begin: workload.CalendarTimeAt(0)}, err
}

// readPast reads what the partition ran.
func (j *Flags) readPast(ctx context.Context) (*Jobs, error) {
	if j.clusterSpec != "" {
		return nil, cli.NewUsageError(errors.New("--cluster is of --trace: the past has the nodes it ran on"))
	}
	file, err := j.LoadSettings()
	if err != nil {
		return nil, err
	}
	p := replay.Period{Cluster: file.Cluster}
	if p.Since, p.Until, err = cli.ParsePeriod(j.sinceText, j.untilText, time.Now()); err != nil {
		return nil, cli.NewUsageError(err)
	}
	if p.Partition, err = replaycommand.ChoosePartition(file, j.partition); err != nil {
		return nil, cli.NewUsageError(err)
	}
	if p.LoopConfig, err = file.LoopConfig(); err != nil {
		return nil, err
	}
	db, err := cli.OpenDB(ctx, file)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	record := replaycommand.SiteRecord{Stores: db}
	site, err := p.ReadScenario(ctx, record)
	if err != nil {
		return nil, err
	}
	jobs := &Jobs{Scenario: site.Scenario, Begin: site.Since}
	if j.untilText == "" {
		jobs.Now, err = record.LastSnapshot(ctx, p.Cluster, p.Partition)
	}
	return jobs, err
}
