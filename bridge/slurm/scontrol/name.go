package scontrol

import (
	"context"
	"errors"
	"fmt"
	"time"

	"fairbridge/bridge/slurm"
)

// ErrOtherCluster means that scontrol and slurmrestd speak for different clusters.
var ErrOtherCluster = errors.New("scontrol and slurmrestd speak for different clusters: correct slurm.url or slurm.scontrol")

// maxComparedJobs is how many jobs of a view are compared at most.
const maxComparedJobs = 3

// ProveClusterName proves which cluster a view is of, where REST does not tell (22.05):
// scontrol tells the name of its cluster, and that it is the same one shows in
// jobs which both know alike, by id, user and the second of submission. proven is
// false while there is no job to compare; then nothing can go wrong either.
func (c Command) ProveClusterName(ctx context.Context, v *slurm.View) (name string, proven bool, err error) {
	config, err := c.ReadConfig(ctx)
	if err != nil {
		return "", false, err
	}
	name = config["ClusterName"]
	if name == "" || name == "(null)" {
		return "", false, errors.New("scontrol show config tells no ClusterName")
	}
	var last error
	for _, j := range jobsToCompare(v) {
		shown, err := c.ReadJob(ctx, j.ID)
		if err != nil {
			last = err // perhaps it ended a moment ago
			continue
		}
		if why := formatDifference(j, shown); why != "" {
			return "", false, fmt.Errorf("%w: job %s %s", ErrOtherCluster, j.Label(), why)
		}
		return name, true, nil
	}
	if last != nil {
		return "", false, fmt.Errorf("no job of slurmrestd's list could be found by scontrol, the last because: %w", last)
	}
	return name, false, nil
}

// jobsToCompare returns a few live jobs of the view: the newest, since ids of other
// clusters reach as far only by chance, and those before.
func jobsToCompare(v *slurm.View) []*slurm.Job {
	var out []*slurm.Job
	for i := len(v.Jobs) - 1; i >= 0 && len(out) < maxComparedJobs; i-- {
		if j := &v.Jobs[i]; !j.IsDone() && j.UntrustedReason == "" && !j.Submit.IsZero() {
			out = append(out, j)
		}
	}
	return out
}

// zoneOffsetStep divides the differences between all time zones: scontrol prints local
// times, of a host whose zone is not known.
const zoneOffsetStep = 15 * time.Minute

// formatDifference says in what the job is another one for scontrol; "" when in nothing.
func formatDifference(j *slurm.Job, shown Job) string {
	switch {
	case shown.UserID != j.UserID:
		return fmt.Sprintf("is of user %d here and of user %d there", j.UserID, shown.UserID)
	case shown.SubmitLocal.Sub(j.Submit.UTC().Truncate(time.Second))%zoneOffsetStep != 0:
		return fmt.Sprintf("was submitted at %s here and at %s there", j.Submit.UTC().Format(time.DateTime), shown.SubmitLocal.Format(time.DateTime))
	}
	return ""
}
