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

// ReadSiteFactors asks the sprio beside scontrol for the site factors of jobs, by id. It
// shows those that wait, may start and whose priority Slurm computes; 0 is none.
func (c Command) ReadSiteFactors(ctx context.Context) (map[int64]int64, error) {
	sprio := Command(CommandBeside(c, "sprio"))
	if sprio == nil {
		return nil, fmt.Errorf("there is no sprio beside slurm.scontrol %q", strings.Join(c, " "))
	}
	out, err := sprio.run(ctx, "--noheader", "--format=%i %S")
	if err != nil {
		return nil, err
	}
	return parseSiteFactors(out)
}

// parseSiteFactors reads lines of a job's id and its site factor. A job of several
// partitions has several.
func parseSiteFactors(text []byte) (map[int64]int64, error) {
	factors := map[int64]int64{}
	for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
		var id, factor int64
		if strings.TrimSpace(s.Text()) == "" {
			continue
		}
		if n, err := fmt.Sscan(s.Text(), &id, &factor); n != 2 {
			return nil, fmt.Errorf("sprio shows %.60q, want a job and its site factor: %w", s.Text(), err)
		}
		factors[id] = factor
	}
	return factors, nil
}
