package simulation

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"fairbridge/bridge/printable"
)

// jobArray is an array of Slurm jobs, each of which makes a part of the runs.
type jobArray struct {
	folder       string   // of the runs, and of the logs
	elementCount int      // jobs
	sbatchFlags  []string // of the user's
	command      []string // of an element, but for its --part
	id           string   // that Slurm gave it; "": it was not submitted yet
}

// script is what an element runs.
func (a *jobArray) script() string {
	var words []string
	for _, w := range a.command {
		words = append(words, printable.ShellWord(w))
	}
	return fmt.Sprintf("#!/bin/sh\nexec %s --part=\"$SLURM_ARRAY_TASK_ID/%d\"\n", strings.Join(words, " "), a.elementCount)
}

// submit submits the array, which has an id then.
func (a *jobArray) submit(ctx context.Context) error {
	flags := append([]string{"--parsable", "--job-name=fairbridge-compare", "--cpus-per-task=1", "--output=" + filepath.Join(a.folder, "log-%A_%a")}, a.sbatchFlags...)
	c := exec.CommandContext(ctx, "sbatch", append(flags, fmt.Sprintf("--array=0-%d", a.elementCount-1))...)
	c.Stdin = strings.NewReader(a.script())
	out, err := runSlurmCommand(c)
	if err != nil {
		return fmt.Errorf("submitting the runs by sbatch: %w", err)
	}
	a.id, _, _ = strings.Cut(strings.TrimSpace(out), ";") // the cluster's name may follow
	return nil
}

// logPattern matches the logs of the elements.
func (a *jobArray) logPattern() string { return filepath.Join(a.folder, "log-"+a.id+"_*") }

// hasLogs reports whether an element has written one.
func (a *jobArray) hasLogs() bool {
	all, _ := filepath.Glob(a.logPattern())
	return len(all) > 0
}

// describeFailure quotes the last line of the first log that does not end as a whole part's does.
func (a *jobArray) describeFailure() string {
	all, _ := filepath.Glob(a.logPattern())
	for _, path := range all {
		text, _ := os.ReadFile(path)
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		if last := lines[len(lines)-1]; last != "" && !strings.HasSuffix(last, allKeptText) {
			return fmt.Sprintf(" (%s: %q)", filepath.Base(path), last)
		}
	}
	return ""
}

// allKeptText ends the log of an element that made all it was to make.
const allKeptText = "runs are kept, 0 failed"

// wait waits until no element waits or runs.
func (a *jobArray) wait(ctx context.Context, pollInterval time.Duration) error {
	for failures := 0; ; {
		out, err := runSlurmCommand(exec.CommandContext(ctx, "squeue", "--noheader", "--jobs="+a.id, "--format=%i"))
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && strings.Contains(err.Error(), "Invalid job id"): // Slurm has forgotten it
			return nil
		case err != nil:
			if failures++; failures == 10 {
				return fmt.Errorf("asking Slurm by squeue: %w", err)
			}
		case strings.TrimSpace(out) == "":
			return nil
		default:
			failures = 0
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pollInterval):
		}
	}
}

// runSlurmCommand runs one of Slurm's commands and returns what it printed; the error says what it
// said on its standard error.
func runSlurmCommand(c *exec.Cmd) (string, error) {
	var said bytes.Buffer
	c.Stderr = &said
	out, err := c.Output()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", fmt.Errorf("%w: run this on a host from which jobs are submitted, or leave out --submit: all cores of this one are used then", err)
	case err != nil:
		return "", fmt.Errorf("%w: %s", err, strings.TrimSpace(said.String()))
	}
	return string(out), nil
}
