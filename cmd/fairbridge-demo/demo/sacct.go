package demo

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"fairbridge/bridge/slurm"
)

// sacct is the command that prints every run there was, one a line.
var sacct = []string{
	"env", "SLURM_TIME_FORMAT=%s", "sacct", "--allusers", "--allocations", "--duplicates", "--noheader", "--parsable2",
	"--starttime=2020-01-01", "--format=JobIDRaw,JobID,JobName,User,Account,AllocTRES,Submit,Start,End,State",
}

// readSacct reads what sacct prints. Runs that have not ended are left out.
func readSacct(text string) ([]Record, error) {
	var out []Record
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		r, ended, err := readRun(strings.Split(line, "|"))
		if err != nil {
			return nil, fmt.Errorf("reading sacct's line %q: %w", line, err)
		}
		if ended {
			out = append(out, r)
		}
	}
	return out, nil
}

func readRun(f []string) (r Record, ended bool, err error) {
	if len(f) != 10 {
		return r, false, fmt.Errorf("%d fields, want 10", len(f))
	}
	r = Record{Name: f[2], User: f[3], Account: f[4], State: f[9]}
	if r.Job, err = strconv.ParseInt(f[0], 10, 64); err != nil {
		return r, false, err
	}
	if _, task, ok := strings.Cut(f[1], "_"); ok {
		if r.Task, err = strconv.Atoi(task); err != nil {
			return r, false, nil // tasks that wait together
		}
	}
	for i, t := range []*time.Time{&r.Submit, &r.Start, &r.End} {
		s, err := strconv.ParseInt(f[6+i], 10, 64)
		if err != nil {
			return r, false, nil // "Unknown": not yet
		}
		*t = time.Unix(s, 0)
	}
	tres, err := slurm.ParseTRES(f[5])
	if err != nil {
		return r, false, err
	}
	r.GPUs = tres.GPUs()
	return r, r.State != "RUNNING" && r.State != "PENDING", nil
}
