package demo

import (
	"context"
	"fmt"
	"strings"
)

// replay runs the day that was recorded under Slurm alone and under another
// policy, as a site would its own history.
func (s *demonstration) replay(ctx context.Context, d *daemon) error {
	args := []string{"replay", "--since", "15m", "--policy", "slurm," + s.otherSlurm()}
	if d.access.Conf != "" {
		args = append(args, "--slurm-conf", d.access.Conf)
	}
	text, err := d.runCommand(ctx, args...)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.Out, "\n$ fairbridge %s    # the same day under other policies\n%s", strings.Join(args, " "), text)
	return nil
}

// otherSlurm is a policy that was not shown, with the parameters that suit the day.
func (s *demonstration) otherSlurm() string {
	name := "drf"
	if s.Policy == name {
		name = "fairbridge"
	}
	return name + ":" + strings.NewReplacer(": ", "=", ", ", ",").Replace(paramsByPolicy[name])
}
