package door

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"fairbridge/bridge/slurm"
)

// scontrolRequeue runs scontrol requeue Incomplete ADDRESS.
func (d *Door) scontrolRequeue(ctx context.Context, address string) error {
	return d.command(ctx, d.cfg.Scontrol, "requeue", "Incomplete", address)
}

// command runs one of Slurm's programs. It acts as the user who runs us, who
// must be an Operator.
func (d *Door) command(ctx context.Context, program []string, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, d.cfg.ScontrolTimeout)
	defer cancel()
	argv := slices.Concat(program, args)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.WaitDelay = time.Second
	d.ran.Add(1)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	text := oneLine(out)
	switch {
	case err == nil:
		return nil
	case cmd.Process == nil:
		return &slurm.Error{Class: slurm.Rejected, Err: fmt.Errorf("running %s: %w", argv[0], err)}
	case ctx.Err() != nil || !errors.As(err, &exit):
		return &slurm.Error{Class: slurm.Unclear, Text: text, Err: fmt.Errorf("%s did not end within %v: %w", argv[0], d.cfg.ScontrolTimeout, err)}
	}
	class, number := scontrolClass(text)
	return &slurm.Error{Class: class, Number: number, Text: strings.Join(append(program[len(program)-1:], args[0]), " ") + ": " + text}
}

// scontrolWords are Slurm's words for its error numbers, all scontrol tells.
var scontrolWords = []struct {
	words  string
	class  slurm.Class
	number int
}{
	{"Invalid job id", slurm.Gone, 2017},
	{"Job is pending execution", slurm.Changed, 2024},
	{"Job/step already completing or completed", slurm.Changed, 2021},
	{"already finished", slurm.Changed, 2084},
	{"Requested operation is presently disabled", slurm.Refused, 2037},
	{"Access/permission denied", slurm.Refused, 2002},
	{"Unable to contact slurm controller (connect failure)", slurm.Unreachable, 1800},
}

func scontrolClass(text string) (slurm.Class, int) {
	for _, w := range scontrolWords {
		if strings.Contains(text, w.words) {
			return w.class, w.number
		}
	}
	return slurm.Unclear, 0
}

func oneLine(out []byte) string {
	s := strings.Join(strings.Fields(strings.ToValidUTF8(string(out), " ")), " ")
	if len(s) > 300 {
		s = s[:300] + "…"
	}
	return s
}
