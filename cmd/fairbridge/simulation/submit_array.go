package simulation

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// jobArray is an array of Slurm jobs, each of which makes a part of the runs.
type jobArray struct {
	folder       string   // of the runs, and of the logs
	elementCount int      // jobs
	sbatchFlags  []string // of the user's
	command      []string // of an element, but for its --part
}

// script is what an element runs.
func (a *jobArray) script() string {
	var words []string
	for _, w := range a.command {
		words = append(words, quoteWord(w))
	}
	return fmt.Sprintf("#!/bin/sh\nexec %s --part=\"$SLURM_ARRAY_TASK_ID/%d\"\n", strings.Join(words, " "), a.elementCount)
}

// quoteWord makes one word of a shell of any text.
func quoteWord(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// submit submits the array and returns its id.
func (a *jobArray) submit(ctx context.Context) (string, error) {
	flags := append([]string{"--parsable", "--job-name=fairbridge-compare", "--cpus-per-task=1", "--output=" + filepath.Join(a.folder, "log-%A_%a")}, a.sbatchFlags...)
	c := exec.CommandContext(ctx, "sbatch", append(flags, fmt.Sprintf("--array=0-%d", a.elementCount-1))...)
	c.Stdin = strings.NewReader(a.script())
	out, err := runSlurmCommand(c)
	if err != nil {
		return "", fmt.Errorf("submitting the runs by sbatch: %w", err)
	}
	id, _, _ := strings.Cut(strings.TrimSpace(out), ";") // the cluster's name may follow
	return id, nil
}

// wait waits until no element waits or runs.
func (a *jobArray) wait(ctx context.Context, id string, pollInterval time.Duration) error {
	for failures := 0; ; {
		out, err := runSlurmCommand(exec.CommandContext(ctx, "squeue", "--noheader", "--jobs="+id, "--format=%i"))
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
