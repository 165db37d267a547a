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
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairbridge/bridge/slurm"
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

// CommandBeside returns the command line that runs another of Slurm's programs where the
// given one runs scontrol; nil where it does not say scontrol.
func CommandBeside(scontrol []string, program string) []string {
	if len(scontrol) == 0 {
		return nil
	}
	out := slices.Clone(scontrol)
	last := &out[len(out)-1]
	dir, name := filepath.Split(*last)
	if !strings.Contains(name, "scontrol") {
		return nil
	}
	*last = dir + strings.Replace(name, "scontrol", program, 1)
	return out
}

// JobPriority is what sprio shows of a waiting job.
type JobPriority struct {
	SiteFactor int64
	Nice       int64 // as of when Slurm computed the factors, which scontrol top has it not do
	Priority   int64 // of this moment; 0: the job has several partitions, and one in each
}

// ReadPriorities asks the sprio beside scontrol for the priorities of jobs, by id. It
// shows those that wait, may start and whose priority Slurm computes.
func (c Command) ReadPriorities(ctx context.Context) (map[int64]JobPriority, error) {
	sprio := Command(CommandBeside(c, "sprio"))
	if sprio == nil {
		return nil, fmt.Errorf("there is no sprio beside slurm.scontrol %q", strings.Join(c, " "))
	}
	out, err := sprio.run(ctx, "--noheader", "--format=%i %S %N %Y")
	if err != nil {
		return nil, err
	}
	return parsePriorities(out)
}

// parsePriorities reads lines of a job's id, its site factor, its nice and its priority. A job of
// several partitions has several.
func parsePriorities(text []byte) (map[int64]JobPriority, error) {
	jobs := map[int64]JobPriority{}
	for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
		var id int64
		var p JobPriority
		if strings.TrimSpace(s.Text()) == "" {
			continue
		}
		if n, err := fmt.Sscan(s.Text(), &id, &p.SiteFactor, &p.Nice, &p.Priority); n != 4 {
			return nil, fmt.Errorf("sprio shows %.60q, want a job, its site factor, nice and priority: %w", s.Text(), err)
		}
		if _, again := jobs[id]; again {
			p.Priority = 0
		}
		jobs[id] = p
	}
	return jobs, nil
}

// ReadSlurmdbdConfig asks the sacctmgr beside scontrol for slurmdbd's settings by name, which
// slurmdbd tells anybody. That of 26.05 shows others in their place, which is an error. Of slurmctld's settings, as ReadConfig returns them, it takes whether there
// is a slurmdbd; without one it returns none, and no error.
func (c Command) ReadSlurmdbdConfig(ctx context.Context, slurmConf map[string]string) (map[string]string, error) {
	if !hasSlurmdbd(slurmConf["AccountingStorageType"]) {
		return nil, nil
	}
	out, err := Command(CommandBeside(c, "sacctmgr")).run(ctx, "-n", "show", "configuration")
	if err != nil {
		return nil, err
	}
	return parseSlurmdbdConfig(out)
}

// hasSlurmdbd reports whether a type of storage is slurmdbd.
func hasSlurmdbd(storage string) bool { return strings.HasSuffix(storage, "/slurmdbd") }

// slurmdbdHeading stands before slurmdbd's settings; those before it are of slurm.conf.
const slurmdbdHeading = "\nSlurmDBD configuration:\n"

func parseSlurmdbdConfig(text []byte) (map[string]string, error) {
	_, own, found := bytes.Cut(text, []byte(slurmdbdHeading))
	if !found {
		return nil, errors.New("sacctmgr shows no settings of slurmdbd: does it run?")
	}
	values := ParseConfig(own)
	if _, ok := values["SLURMDBD_VERSION"]; !ok {
		return nil, fmt.Errorf("sacctmgr shows %d settings of slurmdbd, and not its version", len(values))
	}
	if hasSlurmdbd(values["StorageType"]) { // only what asks slurmdbd stores with it, not itself
		return nil, errors.New("sacctmgr of this release shows settings of slurm.conf in the place of slurmdbd's")
	}
	return values, nil
}

// ReadFederation returns the federation that the cluster is a member of, "" when it is in
// none, and the names of its other members, as "scontrol show federation" prints them.
func (c Command) ReadFederation(ctx context.Context) (name string, siblings []string, err error) {
	out, err := c.run(ctx, "show", "federation")
	if err != nil {
		return "", nil, err
	}
	name, siblings = parseFederation(out)
	return name, siblings, nil
}

// parseFederation reads lines like "Federation: both" and "Sibling:    other:10.0.0.2:6817 ID:2 …".
func parseFederation(text []byte) (name string, siblings []string) {
	for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
		words := strings.Fields(s.Text())
		if len(words) < 2 {
			continue
		}
		switch words[0] {
		case "Federation:":
			name = words[1]
		case "Sibling:":
			sibling, _, _ := strings.Cut(words[1], ":")
			siblings = append(siblings, sibling)
		}
	}
	return name, siblings
}
