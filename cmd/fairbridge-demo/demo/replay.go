package demo

import (
	"context"
	"fmt"
	"strings"
)

// replayDay runs the day that was recorded under Slurm alone and under another
// policy, as a site would its own history.
func (s *demonstration) replayDay(ctx context.Context, d *daemon) error {
	args := []string{"replay", "--since", "15m", "--policy", "slurm," + s.otherPolicy()}
	if d.access.SlurmConfFile != "" {
		args = append(args, "--slurm-conf", d.access.SlurmConfFile)
	}
	text, err := d.runCommand(ctx, args...)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.Out, "\n$ fairbridge %s    # the same day under other policies\n%s", strings.Join(args, " "), text)
	return nil
}

// otherPolicy is a policy that was not shown, with the parameters that suit the day.
func (s *demonstration) otherPolicy() string {
	name := "drf"
	if s.Policy == name {
		name = "fairbridge"
	}
	return name + ":" + strings.NewReplacer(": ", "=", ", ", ",").Replace(paramsByPolicy[name])
}
