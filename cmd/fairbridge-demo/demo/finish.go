package demo

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os/exec"
)

// waitForEnter says how to look at the reports and at the cluster, by the configuration
// in a file, and waits for a line when asked to.
func (s *demonstration) waitForEnter(ctx context.Context, config string) error {
	how := "with --keep it stays up until you press Enter"
	if s.KeepsRunning {
		how = "up until you press Enter"
	}
	s.screen.printf("\nThe reports in SQL (%s):\n  psql '%s' -c 'select * from fairbridge_v1.usage_by_account_day'", how, s.dsn)
	if !s.KeepsRunning {
		return nil
	}
	s.screen.printf("All commands of fairbridge, on this cluster:\n  export FAIRBRIDGE_CONFIG=%s\n  %s queue", config, s.FairbridgePath)
	line := make(chan error, 1)
	go func() {
		_, err := bufio.NewReader(s.In).ReadString('\n')
		line <- err
	}()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-line:
		return nil
	}
}

// explainJobs asks fairbridge about three jobs.
func (s *demonstration) explainJobs(ctx context.Context, d *daemon, before, after []JobOutcome) error {
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
			fmt.Fprintf(s.Out, "\n$ fairbridge explain %d    # %s\n%s", l.JobID, q.why(l), text)
			break
		}
	}
	return nil
}

// exitUnknownJob is the exit status of explain for a job fairbridge never saw.
const exitUnknownJob = 3
