package demo

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"fairbridge/bridge/printable"
	"fairbridge/cmd/fairbridge-demo/workday"
)

// waitForEnter says how to look at the reports and at the cluster, by the configuration
// in a file, and waits for a line, when asked to; else it says how to ask.
func (s *demonstration) waitForEnter(ctx context.Context, config string) error {
	if !s.KeepsRunning {
		s.screen.printf("\nWith --keep all of it stays up, to be asked by every command of fairbridge and in SQL.")
		return nil
	}
	if s.virtualCluster != nil {
		s.screen.setStatus("Letting the rest of the time until now pass …")
		if err := s.virtualCluster.Wait(ctx, time.Since(s.virtualCluster.Now())); err != nil {
			return err
		}
	}
	s.screen.printf("\nAll of it stays up until you press Enter. Its configuration is %s. In another terminal:", config)
	s.screen.printf("  export FAIRBRIDGE_CONFIG=%s\n  %s queue\n  %s report usage", config, s.FairbridgePath, s.FairbridgePath)
	s.screen.printf("  psql '%s' -c 'select * from fairbridge_v1.usage_by_account_day'", s.dsn)
	line := make(chan error, 1)
	go func() {
		_, err := bufio.NewReader(s.In).ReadString('\n')
		line <- err
	}()
	return s.keepTime(ctx, line)
}

// keepTime lets the time of a virtual cluster pass as ours does until a line is read, so
// that what is asked of it finds a cluster of now with a fairbridge beside it. On a real
// one time passes by itself.
func (s *demonstration) keepTime(ctx context.Context, line <-chan error) error {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-line:
			return nil
		case <-tick.C:
		}
		if s.virtualCluster == nil {
			continue
		}
		if err := s.virtualCluster.Wait(ctx, time.Since(s.virtualCluster.Now())); err != nil {
			return err
		}
	}
}

// explainJobs asks fairbridge about three jobs.
func (s *demonstration) explainJobs(ctx context.Context, d *daemon, before, after []workday.JobOutcome) error {
	for _, q := range findQuestions(before, after) {
		for _, l := range q.jobs {
			text, err := d.runCommand(ctx, "explain", fmt.Sprint(l.JobID))
			var exit *exec.ExitError
			if errors.As(err, &exit) && exit.ExitCode() == exitUnknownJob {
				continue
			}
			if err != nil {
				return err
			}
			printable.Fprintf(s.Out, "\n$ fairbridge explain %d    # %s\n", l.JobID, q.why(l))
			printable.Fprintlines(s.Out, text)
			break
		}
	}
	return nil
}

// exitUnknownJob is the exit status of explain for a job fairbridge never saw.
const exitUnknownJob = 3

// replayDay runs the day that was recorded under Slurm alone and under another
// policy, as a site would its own history.
func (s *demonstration) replayDay(ctx context.Context, d *daemon) error {
	args := []string{"replay", "--since", replaySince(s.usesRealSlurm), "--policy", "slurm," + otherPolicy(s.Policy, s.pace)}
	if d.access.SlurmConfFile != "" {
		args = append(args, "--slurm-conf", d.access.SlurmConfFile)
	}
	text, err := d.runCommand(ctx, args...)
	if err != nil {
		return err
	}
	printable.Fprintf(s.Out, "\n$ fairbridge %s    # the same day under other policies\n", strings.Join(args, " "))
	printable.Fprintlines(s.Out, text)
	return nil
}

// replaySince is a time ago by which the day had not begun.
func replaySince(isRealTime bool) string {
	if isRealTime {
		return "20m"
	}
	return "11h"
}

// otherPolicy is a policy that was not shown, with the parameters that suit the day.
func otherPolicy(shown string, p pace) string {
	name := "drf"
	if shown == name {
		name = "fairbridge"
	}
	params := formatDayParams(name, p)
	if params == "" {
		return name
	}
	return name + ":" + strings.NewReplacer(": ", "=", ", ", ",").Replace(params)
}

// comparisonQuestion is something worth asking about a job, with the jobs it may be
// asked about, the best first: one that came and went between two looks of
// fairbridge is unknown to it.
type comparisonQuestion struct {
	jobs []*workday.JobOutcome
	why  func(*workday.JobOutcome) string
}

// findQuestions asks about the job that waited longest, one that was requeued, and
// the one that gained most against Slurm alone.
func findQuestions(before, after []workday.JobOutcome) []comparisonQuestion {
	was := map[workday.JobKey]time.Duration{}
	for i := range before {
		was[before[i].Key()] = before[i].WaitTime()
	}
	alone := func(l *workday.JobOutcome) time.Duration { return was[l.Key()] }
	gain := func(l *workday.JobOutcome) time.Duration { return alone(l) - l.WaitTime() }
	var straight, requeued, early []*workday.JobOutcome
	for i := range after {
		l := &after[i]
		switch {
		case len(l.Runs) > 1:
			requeued = append(requeued, l)
			continue
		case gain(l) > 0:
			early = append(early, l)
		}
		straight = append(straight, l)
	}
	return []comparisonQuestion{
		{sortDescending(straight, (*workday.JobOutcome).WaitTime), func(l *workday.JobOutcome) string {
			return fmt.Sprintf("%s waited long, %.0f s", l.Name, l.WaitTime().Seconds())
		}},
		{sortDescending(requeued, func(l *workday.JobOutcome) time.Duration { return time.Duration(len(l.Runs)) }), func(l *workday.JobOutcome) string { return l.Name + " was requeued" }},
		{sortDescending(early, gain), func(l *workday.JobOutcome) string {
			return fmt.Sprintf("%s waited %.0f s, %.0f s on Slurm alone", l.Name, l.WaitTime().Seconds(), alone(l).Seconds())
		}},
	}
}

// sortDescending sorts the jobs by a value, the largest first.
func sortDescending(list []*workday.JobOutcome, value func(*workday.JobOutcome) time.Duration) []*workday.JobOutcome {
	slices.SortStableFunc(list, func(a, b *workday.JobOutcome) int { return cmp.Compare(value(b), value(a)) })
	return list
}
