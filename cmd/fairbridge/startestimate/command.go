// Package startestimate is the command when, and how estimates of starts are said.
package startestimate

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"fairbridge/accounting/estimates"
	"fairbridge/accounting/predictions"
	"fairbridge/api"
	"fairbridge/bridge/printable"
	"fairbridge/bridge/slurm"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
	"fairbridge/cmd/internal/source"
	"fairbridge/policy"
)

const whenHelp = `Say when a job would start and end if it were submitted now: a middle, and a band that
is meant to hold in four of five cases, how good such estimates were here, and which
smaller or shorter requests would start sooner. It is planned as of the last cycle of the
partition; nothing is submitted, stored or sent. One core for each GPU is assumed, and no
dependency.

--time is the job's time limit, as sbatch takes it (4:00:00, 1-12, or minutes) or like 4h
or 1h30m. Without --account it is the account of the user's last job that is listed, or
where the user got most.

With --deadline also how likely it is done by then, and which smaller or shorter requests
and other partitions are likelier. Such a job is planned with that deadline.

Exit status 2 when the partition has not what is asked for, or its limits forbid it.

`

// whenFlags are the flags of when.
type whenFlags struct {
	partition, gpuType, timeLimit, account, user, deadline string
	gpus, nodes                                            int
}

// NewWhenCommand makes the command when.
func NewWhenCommand(o *cli.Options) *cobra.Command {
	var f whenFlags
	c := &cobra.Command{
		Use:   "when",
		Short: "When a job would start if it were submitted now, and what would start sooner",
		Long:  whenHelp + source.Rule,
		Example: `  fairbridge when --gpus 8 --time 4h
  fairbridge when --gpus 16 --nodes 2 --type a100 --time 1-0 --partition gpu
  fairbridge when --gpus 8 --time 4h --deadline 2026-12-01T09:00
  fairbridge when --gpus 1 --time 30m --user alice --account research --json`,
		Args: cli.CheckArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return answerWhen(c, o, &f) },
	}
	c.Flags().IntVar(&f.gpus, "gpus", 0, "GPUs over all nodes (required)")
	c.Flags().StringVar(&f.timeLimit, "time", "", "time limit (required)")
	c.Flags().IntVar(&f.nodes, "nodes", 0, "so many nodes, as many GPUs on each; 0: any")
	c.Flags().StringVar(&f.gpuType, "type", "", "type of GPU; without it any")
	c.Flags().StringVarP(&f.partition, "partition", "p", "", "partition; not needed where there is one")
	c.Flags().StringVarP(&f.account, "account", "A", "", "account")
	c.Flags().StringVar(&f.user, "user", "", "user; without it who asks")
	c.Flags().StringVar(&f.deadline, "deadline", "", "by when it is to be done (2026-12-01T09:00): how likely that is, and what is likelier")
	cli.SetRange(c, "gpus", "1", "1000000")
	cli.SetRange(c, "nodes", "0", "100000")
	_ = c.RegisterFlagCompletionFunc("partition", o.CompletePartitionNames()) // fails only for a flag that is not there
	return o.AddURLFlag(o.AddJSONFlag(c))
}

func answerWhen(c *cobra.Command, o *cli.Options, f *whenFlags) error {
	limit, err := f.parse()
	if err != nil {
		return cli.NewUsageError(err)
	}
	deadline, err := parseDeadline(f.deadline)
	if err != nil {
		return cli.NewUsageError(err)
	}
	s, err := source.Open(c.Context(), o)
	if err != nil {
		return err
	}
	defer s.Close()
	var a *api.When
	err = source.AskInTurn(c.Context(), func() (err error) {
		a, err = s.When(c.Context(), api.WhenQuery{Partition: f.partition, GPUType: f.gpuType, GPUs: f.gpus, Nodes: f.nodes, Limit: limit, User: f.user, Account: f.account, Deadline: deadline})
		return err
	})
	if err != nil {
		return source.NewCommandError(s, err)
	}
	if o.JSON {
		return output.WriteJSON(c.OutOrStdout(), a)
	}
	printWhen(c.OutOrStdout(), a, time.Now())
	return nil
}

// parse checks the flags that need no site, and returns the time limit.
func (f *whenFlags) parse() (limit time.Duration, err error) {
	if f.gpus == 0 || f.timeLimit == "" {
		return 0, errors.New("want --gpus and --time, like fairbridge when --gpus 8 --time 4h; see fairbridge when --help")
	}
	if limit, err = time.ParseDuration(f.timeLimit); err != nil {
		limit, err = slurm.ParseTimeSpan(f.timeLimit)
	}
	if err != nil || limit < time.Minute || limit > 366*24*time.Hour {
		return 0, fmt.Errorf("--time %s: want a time limit from 1 minute to 366 days, like 4h, 1h30m, 4:00:00 or 1-12", printable.Truncate(f.timeLimit, 40))
	}
	return limit, nil
}

// EarlierText says how long earlier runs of a job that comes again took, and what that advises; "": none is known.
func EarlierText(e *predictions.EarlierRuns, now time.Time) string {
	if e == nil {
		return ""
	}
	long := func(seconds float64) string { return policy.FormatSeconds(seconds) }
	text := fmt.Sprintf("It came before: 1 run on as many GPUs, which ended %s and took %s.", output.FormatTime(e.Since, now), long(e.LongestSeconds))
	if e.Count > 1 {
		text = fmt.Sprintf("It came before: %d runs on as many GPUs since %s. Half of them took %s at most, the longest %s.", e.Count, output.FormatTime(e.Since, now), long(e.MedianSeconds), long(e.LongestSeconds))
	}
	if e.InTimeCount != nil {
		text += fmt.Sprintf(" %d of %d were short enough for its deadline, did it start now.", *e.InTimeCount, e.Count)
	}
	if e.EnoughLimitSeconds > 0 {
		text += fmt.Sprintf(" A time limit of %s would have done for all of them, and jobs with short limits find room sooner.", long(e.EnoughLimitSeconds))
	}
	return text
}

// IsPast reports whether the late edge of the estimate of a job that has not started is past, to the minute: it did not hold.
func IsPast(late, now time.Time) bool { return now.Sub(late) > time.Minute }

// EstimateText says when a job that waits is thought to start and end.
func EstimateText(s *estimates.StoredEstimate, now time.Time) string {
	if IsPast(s.Start.Late, now) {
		return fmt.Sprintf("Its estimate did not hold: %s ago nine in ten such jobs were thought to start by %s. The next estimate takes in why it waits.",
			output.FormatAge(now, s.MadeAt), output.FormatTime(s.Start.Late, now))
	}
	return fmt.Sprintf("It is estimated to start between %s and %s (four in five such jobs do), half of them by %s, and to end between %s and %s, half of them by %s; estimated %s ago.",
		output.FormatTime(s.Start.Early, now), output.FormatTime(s.Start.Late, now), output.FormatTime(s.Start.Middle, now),
		output.FormatTime(s.End.Early, now), output.FormatTime(s.End.Late, now), output.FormatTime(s.End.Middle, now), output.FormatAge(now, s.MadeAt))
}

// ScoreText says how good estimates of such starts, and of the ends of the same jobs, were.
func ScoreText(s *estimates.Score) string {
	if s == nil {
		return "How good such estimates are here is not known yet: no job has started of which one was stored."
	}
	ahead := fmt.Sprintf("up to %s ahead", policy.FormatDuration(s.AtMost.Duration()))
	switch {
	case s.AtMost == 0:
		ahead = fmt.Sprintf("more than %s ahead", policy.FormatDuration(s.MoreThan.Duration()))
	case s.MoreThan > 0:
		ahead = fmt.Sprintf("%s to %s ahead", policy.FormatDuration(s.MoreThan.Duration()), policy.FormatDuration(s.AtMost.Duration()))
	}
	text := fmt.Sprintf("Of %s of starts %s in the last 30 days, %.0f %% held (80 %% should), %.0f %% of the jobs started earlier and %.0f %% later; half were off by less than %s.",
		policy.FormatCount(s.LookCount, "estimate"), ahead, 100*s.HeldPart, 100*s.EarlyPart, 100*s.LatePart, policy.FormatDuration(s.MedianError.Duration()))
	if s.WithSlurmCount > 0 {
		text += fmt.Sprintf(" Where Slurm had one too (%d), half were off by less than %s, half of Slurm's by less than %s.",
			s.WithSlurmCount, policy.FormatDuration(s.MedianErrorWithSlurm.Duration()), policy.FormatDuration(s.SlurmMedianError.Duration()))
	}
	if s.EndCount > 0 {
		text += fmt.Sprintf(" Of their ends (%d) %.0f %% held, %.0f %% came earlier and %.0f %% later; half were off by less than %s.",
			s.EndCount, 100*s.EndHeldPart, 100*s.EndEarlyPart, 100*s.EndLatePart, policy.FormatDuration(s.EndMedianError.Duration()))
	}
	return text
}
