package slurmtest

import (
	"fmt"
	"strings"
)

// scontrolShow prints the settings, as far as somebody asks for them, or the
// first lines of a job's record.
func (s *Server) scontrolShow(args []string) (string, int) {
	switch {
	case len(args) == 1 && args[0] == "config":
		return fmt.Sprintf("Configuration data as of %s\nClusterName             = %s\nSLURM_VERSION           = %s\n\n",
			s.world.Now().UTC().Format(isoTime), s.world.Cluster(), s.world.Version()), 0
	case len(args) != 2 || args[0] != "job":
		return "invalid entity:" + strings.Join(args, " ") + " for keyword:show \n", 1
	}
	j, err := s.world.Job(atoi(args[1]))
	if err != nil {
		return "slurm_load_jobs error: " + complaint(err) + "\n", 1
	}
	return fmt.Sprintf("JobId=%d JobName=%s\n   UserId=%s(%d) GroupId=%s(%d) MCS_label=N/A\n   Priority=%d Nice=%d Account=%s QOS=%s\n   JobState=%s Reason=%s\n   SubmitTime=%s EligibleTime=%s\n\n",
		j.ID, j.Name, j.User, j.UserID, j.User, j.UserID, j.Priority, j.Nice, j.Account, j.QOS, j.State, j.Reason,
		j.Submit.UTC().Format(isoTime), j.Eligible.UTC().Format(isoTime)), 0
}

// isoTime is how scontrol prints times.
const isoTime = "2006-01-02T15:04:05"
