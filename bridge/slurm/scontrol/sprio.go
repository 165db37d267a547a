package scontrol

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

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
