package demo

import (
	"bufio"
	"context"
	"errors"
	"fmt"
)

// keep says how to look at the reports, and waits for a line when asked to.
func (s *show) keep(ctx context.Context) error {
	how := "with --keep it stays up until you press Enter"
	if s.Keep {
		how = "up until you press Enter"
	}
	s.screen.say("\nThe reports in SQL (%s):\n  psql '%s' -c 'select * from fairbridge_v1.usage_by_account_day'", how, s.dsn)
	if !s.Keep {
		return nil
	}
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

// explain asks fairbridge about three jobs.
func (s *show) explain(ctx context.Context, d *daemon, before, after []Life) error {
	var errs []error
	for _, q := range questions(before, after) {
		text, err := d.command(ctx, "explain", fmt.Sprint(q.job))
		if err != nil {
			errs = append(errs, err)
			continue
		}
		fmt.Fprintf(s.Out, "\n$ fairbridge explain %d    # %s\n%s", q.job, q.why, text)
	}
	return errors.Join(errs...)
}
