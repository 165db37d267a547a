package doctor

import (
	"context"

	"fairbridge/bridge/slurm/scontrol"
)

// checkPrivacy looks whether it can be read what slurmdbd hides from users, which the API then hides
// too. What is configured needs no reading; nor is it missed where slurm.conf cannot be read, since then
// everything is hidden.
func checkPrivacy(ctx context.Context, command scontrol.Command, configured []string) (r Report) {
	if len(configured) > 0 {
		return nil
	}
	conf, err := command.ReadConfig(ctx)
	if err != nil {
		return nil
	}
	if _, err := command.ReadSlurmdbdConfig(ctx, conf); err != nil {
		r.addFinding("api", LevelWarn, "put PrivateData of slurm.conf and of slurmdbd.conf into api.private, or have sacctmgr beside slurm.scontrol",
			"PrivateData of slurmdbd.conf cannot be read: users may see in the API what sacct and sreport hide: %v", err)
	}
	return r
}
