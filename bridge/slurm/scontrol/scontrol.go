// Package scontrol asks Slurm's command scontrol for what REST does not tell. It
// changes nothing.
package scontrol

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// commandTimeout bounds one run.
const commandTimeout = 15 * time.Second

// Command is scontrol and whatever must precede it, such as [ssh, ctl, scontrol].
type Command []string

// run returns what "scontrol args…" prints.
func (c Command) run(ctx context.Context, args ...string) ([]byte, error) {
	if len(c) == 0 {
		return nil, errors.New("no scontrol is configured (slurm.scontrol)")
	}
	ctx, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	argv := append(slices.Clone([]string(c)), args...)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), "SLURM_TIME_FORMAT=standard")
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("running %s: %w%s", strings.Join(argv, " "), err, firstStderrLine(err))
	}
	return out, nil
}

// firstStderrLine returns the first line that a failed program wrote to its standard
// error.
func firstStderrLine(err error) string {
	var exit *exec.ExitError
	if !errors.As(err, &exit) || len(exit.Stderr) == 0 {
		return ""
	}
	line, _, _ := strings.Cut(strings.TrimSpace(string(exit.Stderr)), "\n")
	return " (" + line + ")"
}

// ReadConfig returns slurmctld's settings by name, as "scontrol show config" prints
// them.
func (c Command) ReadConfig(ctx context.Context) (map[string]string, error) {
	out, err := c.run(ctx, "show", "config")
	if err != nil {
		return nil, err
	}
	return ParseConfig(out), nil
}

// ParseConfig reads the lines "Key = value" of scontrol show config.
func ParseConfig(text []byte) map[string]string {
	values := map[string]string{}
	for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
		if k, v, ok := strings.Cut(s.Text(), "="); ok {
			values[strings.TrimSpace(k)] = strings.TrimSpace(v)
		}
	}
	return values
}

// Job is what scontrol shows of a job that its owner cannot write.
type Job struct {
	UserID      int64
	SubmitLocal time.Time // as printed: in the local time of scontrol's host, given as UTC
}

// Names and comments are their owners', and may look like other fields: these
// begin a line, and count only when they do so once.
var (
	userIDPattern     = regexp.MustCompile(`(?m)^   UserId=[^ ]*\(([0-9]+)\) GroupId=`)
	submitTimePattern = regexp.MustCompile(`(?m)^   SubmitTime=([^ ]+) EligibleTime=`)
)

// ReadJob returns one job, as "scontrol show job" prints it.
func (c Command) ReadJob(ctx context.Context, id int64) (Job, error) {
	out, err := c.run(ctx, "show", "job", strconv.FormatInt(id, 10))
	if err != nil {
		return Job{}, err
	}
	return parseJob(string(out), id)
}

// parseJob finds the record of the job among those of its array.
func parseJob(text string, id int64) (j Job, err error) {
	var users, times []string
	for _, record := range strings.Split(text, "\n\n") {
		if !strings.HasPrefix(record, fmt.Sprintf("JobId=%d ", id)) {
			continue
		}
		for _, m := range userIDPattern.FindAllStringSubmatch(record, -1) {
			users = append(users, m[1])
		}
		for _, m := range submitTimePattern.FindAllStringSubmatch(record, -1) {
			times = append(times, m[1])
		}
	}
	if len(users) != 1 || len(times) != 1 {
		return j, fmt.Errorf("scontrol shows %d users and %d submit times of job %d, want one of each", len(users), len(times), id)
	}
	if j.UserID, err = strconv.ParseInt(users[0], 10, 64); err != nil {
		return j, fmt.Errorf("the user of job %d: %w", id, err)
	}
	if j.SubmitLocal, err = time.Parse("2006-01-02T15:04:05", times[0]); err != nil {
		return j, fmt.Errorf("the submit time of job %d: %w", id, err)
	}
	return j, nil
}
