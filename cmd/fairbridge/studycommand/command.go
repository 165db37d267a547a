// Package studycommand is the command study: what policies would have done with the site's own jobs, as it was stored last.
package studycommand

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"fairbridge/api"
	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
	"fairbridge/cmd/internal/source"
	"fairbridge/cmd/internal/trial"
	"fairbridge/policy"
)

const studyHelp = `Show what policies would have done with the jobs of each partition, as "fairbridge replay
--since 7d --store" simulated and stored it last: how old that is, of which days, how near
a simulation of what was done came to what happened, and each policy's figures. The page
Before/after shows the same. Nothing is simulated now.

Figures are of all jobs together. Where usage is private they are for operators; who had
them made, and what may name nodes or jobs, always is. Exit status 3 where none is stored.

`

// opener opens where answers come from.
type opener func(ctx context.Context, o *cli.Options) (source.Source, error)

// NewCommand makes the command study.
func NewCommand(o *cli.Options) *cobra.Command { return newCommand(o, source.Open) }

func newCommand(o *cli.Options, open opener) *cobra.Command {
	var partition string
	c := &cobra.Command{
		Use:   "study",
		Short: "What other policies would have done with your jobs, as stored last",
		Long:  studyHelp + source.Rule,
		Example: `  fairbridge replay --since 7d --policy slurm,fairbridge --store
  fairbridge study
  fairbridge study -p gpu --json`,
		Args: cli.CheckArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return show(c, o, open, partition) },
	}
	c.Flags().StringVarP(&partition, "partition", "p", "", "only this partition")
	return o.AddURLFlag(o.AddJSONFlag(c))
}

func show(c *cobra.Command, o *cli.Options, open opener, partition string) error {
	s, err := open(c.Context(), o)
	if err != nil {
		return err
	}
	defer s.Close()
	var all *api.Studies
	err = source.AskInTurn(c.Context(), func() (err error) {
		all, err = s.Studies(c.Context())
		return err
	})
	if err != nil {
		return source.NewCommandError(s, err)
	}
	if err := keepPartition(all, partition); err != nil {
		return cli.NewUsageError(err)
	}
	if o.JSON {
		err = output.WriteJSON(c.OutOrStdout(), all)
	} else {
		printStudies(c.OutOrStdout(), all, time.Now())
	}
	if err == nil && !slices.ContainsFunc(all.Partitions, func(p api.PartitionStudy) bool { return p.Study != nil }) {
		return cli.ErrFinding
	}
	return err
}

// keepPartition leaves out all other partitions; "" none.
func keepPartition(all *api.Studies, partition string) error {
	if partition == "" {
		return nil
	}
	all.Partitions = slices.DeleteFunc(all.Partitions, func(p api.PartitionStudy) bool { return p.Partition != partition })
	if len(all.Partitions) == 0 {
		return fmt.Errorf("--partition %.40q: fairbridge looks after none of that name", partition)
	}
	return nil
}

func printStudies(w io.Writer, all *api.Studies, now time.Time) {
	for i := range all.Partitions {
		if i > 0 {
			printable.Fprintf(w, "\n")
		}
		p := &all.Partitions[i]
		if p.Study == nil {
			output.WriteParagraph(w, "", fmt.Sprintf("Partition %s: none is stored. An administrator has one made by", p.Partition))
			printable.Fprintf(w, "  %s\n", p.Command)
			continue
		}
		printStudy(w, p, now)
	}
}

// printStudy prints sentences, and a table of the policies that could be run.
func printStudy(w io.Writer, p *api.PartitionStudy, now time.Time) {
	s := p.Study
	output.WriteParagraph(w, "", introduction(p, now))
	output.WriteParagraph(w, "", s.About)
	output.WriteParagraph(w, "", s.Accuracy+" Differences between policies that are smaller than that mean nothing.")
	for _, r := range s.Remarks {
		output.WriteParagraph(w, "note: ", r)
	}
	printable.Fprintf(w, "\n")
	t := trial.NewNumberTable(w, "POLICY", "JOBS", "WAIT MEAN", "JCT MEAN", "MEDIAN", "P99", "WORST RHO", "UNFAIR", "BUSY", "RESTARTS", "LOST GPU-H")
	for i := range s.Lines {
		if l := &s.Lines[i]; l.Error == "" {
			t.AddRow(l.Policy, l.JobCount, seconds(l.MeanWait), seconds(l.MeanJCT), seconds(l.MedianJCT), seconds(l.P99JCT), fmt.Sprintf("%.2f", l.WorstRho),
				percent(l.UnfairPart), percent(l.Utilization), l.RestartCount, fmt.Sprintf("%.1f", l.LostGPUHours))
		}
	}
	t.Print()
	for i := range s.Lines {
		if l := &s.Lines[i]; l.Error != "" {
			output.WriteParagraph(w, "", fmt.Sprintf("%s failed: %s", l.Policy, l.Error))
		}
	}
	printable.Fprintf(w, "\nAnew: %s\n", p.Command)
}

// introduction says how old a study is, and of what.
func introduction(p *api.PartitionStudy, now time.Time) string {
	s := p.Study
	by, old, how := "", "", "through a simulated Slurm"
	if s.By != "" {
		by = " by " + s.By
	}
	if p.Stale {
		old = "; that is old: users, jobs and nodes may be others now"
	}
	if s.Fidelity == "exact" {
		how = "plans carried out exactly"
	}
	return fmt.Sprintf("Partition %s: made %s%s, %s ago%s. Of the jobs from %s to %s; %s, %s.", p.Partition, output.FormatTime(s.Made, now), by,
		policy.FormatDuration(time.Duration(p.Age)*time.Second), old, output.FormatTime(s.Since, now), output.FormatTime(s.Until, now), how, policy.FormatCount(s.Seeds, "seed"))
}

func seconds(s float64) string { return policy.FormatDuration(policy.DurationFromSeconds(s)) }

func percent(part float64) string { return fmt.Sprintf("%.0f %%", 100*part) }
