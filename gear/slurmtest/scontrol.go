package slurmtest

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/gear/slurmtest/update"
	"fairbridge/replica/sim"
)

// slurmCommands are scontrol and scancel as a user runs them.
type slurmCommands struct {
	world    *sim.World
	user     string
	timeZone *time.Location
}

// run does what "scontrol args…" does: see Server.RunScontrol.
func (p *slurmCommands) run(args []string) (string, int) {
	if len(args) < 2 {
		return "scontrol: want a command and its arguments\n", 1
	}
	if args[0] == "--oneliner" {
		args = args[1:]
	}
	verb, rest := args[0], args[1:]
	switch verb {
	case "requeue":
		incomplete := strings.EqualFold(rest[0], "Incomplete") && len(rest) > 1
		if incomplete {
			rest = rest[1:]
		}
		return forEachID(rest, func(id string) error { return p.world.Requeue(p.user, id, incomplete) })
	case "hold":
		return forEachID(rest, func(id string) error { return p.world.Hold(p.user, parseJobID(id)) })
	case "release":
		return forEachID(rest, func(id string) error { return p.world.Release(p.user, parseJobID(id)) })
	case "update":
		return p.updateJob(rest)
	case "scancel":
		return p.scancel(rest)
	case "show":
		return p.show(rest)
	}
	return "invalid keyword: " + verb + "\n", 1
}

// forEachID does f to every id of the comma lists and collects the complaints.
func forEachID(lists []string, f func(string) error) (out string, status int) {
	for _, list := range lists {
		for _, id := range strings.Split(list, ",") {
			if err := f(id); err != nil {
				out += asSlurmError(err).Text + " for job " + id + "\n"
				status = 1
			}
		}
	}
	return out, status
}

// scancel signals the batch scripts of jobs or, without a signal, ends the jobs.
func (p *slurmCommands) scancel(args []string) (string, int) {
	var signal slurm.Signal
	batch := false
	for len(args) > 0 && strings.HasPrefix(args[0], "--") {
		name, value, _ := strings.Cut(args[0], "=")
		var err error
		switch name {
		case "--batch":
			batch = true
		case "--signal":
			signal, err = slurm.ParseSignal(value)
		default:
			err = errors.New("unrecognized option " + name)
		}
		if err != nil {
			return "scancel: " + err.Error() + "\n", 1
		}
		args = args[1:]
	}
	return forEachID(args, func(id string) error {
		switch {
		case signal == "":
			return p.world.Cancel(p.user, id)
		case !batch:
			return errors.New("signals to steps are not simulated")
		}
		return p.world.Signal(p.user, id, signal)
	})
}

func parseJobID(s string) int64 {
	n, _ := strconv.ParseInt(s, 10, 64) // no number is job 0, which is unknown
	return n
}

// updateJob changes one job.
func (p *slurmCommands) updateJob(args []string) (string, int) {
	var u sim.JobUpdate
	var id int64
	for _, a := range args {
		key, value, _ := strings.Cut(a, "=")
		n := parseJobID(value)
		switch strings.ToLower(key) {
		case "jobid":
			id = n
		case "priority":
			u.Priority = &n
		case "nice":
			u.Nice = &n
		case "sitefactor":
			u.SiteFactor = &n
		case "starttime":
			t, ok := update.Reader{Now: p.world.Now(), TimeZone: p.timeZone}.ParseTime(value)
			if !ok {
				return "Invalid time specification " + value + "\n", 1
			}
			u.BeginTime = &t
		default:
			return "Update of this parameter is not supported: " + a + "\n", 1
		}
	}
	if err := p.world.Update(p.user, id, u); err != nil {
		return asSlurmError(err).Text + " for job " + strconv.FormatInt(id, 10) + "\n", 1
	}
	return "", 0
}

// show prints the settings, as far as they are asked for, or the first lines of
// a job's record.
func (p *slurmCommands) show(args []string) (string, int) {
	switch {
	case len(args) == 1 && args[0] == "config":
		return fmt.Sprintf("Configuration data as of %s\nClusterName             = %s\nSLURM_VERSION           = %s\n\n",
			p.world.Now().UTC().Format(isoTimeLayout), p.world.ClusterName(), p.world.Version()), 0
	case args[0] == "assoc_mgr":
		return "No associations currently cached in Slurm.\nNo QOS currently cached in Slurm.\n", 0
	case len(args) != 2 || args[0] != "job":
		return "invalid entity:" + strings.Join(args, " ") + " for keyword:show \n", 1
	}
	j, err := p.world.Job(parseJobID(args[1]))
	if err != nil {
		return "slurm_load_jobs error: " + asSlurmError(err).Text + "\n", 1
	}
	return fmt.Sprintf("JobId=%d JobName=%s\n   UserId=%s(%d) GroupId=%s(%d) MCS_label=N/A\n   Priority=%d Nice=%d Account=%s QOS=%s\n   JobState=%s Reason=%s\n   SubmitTime=%s EligibleTime=%s\n\n",
		j.ID, j.Name, j.User, j.UserID, j.User, j.UserID, j.Priority, j.Nice, j.Account, j.QOS, j.State, j.Reason,
		j.Submit.UTC().Format(isoTimeLayout), j.EligibleTime.UTC().Format(isoTimeLayout)), 0
}

// isoTimeLayout is how scontrol prints times.
const isoTimeLayout = "2006-01-02T15:04:05"
