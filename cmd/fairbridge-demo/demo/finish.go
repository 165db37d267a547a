package demo

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os/exec"
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
