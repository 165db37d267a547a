package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"fairbridge/scripts/verify/part"
)

// next returns the part whose turn it is: one commit after the other runs one part after the other.
func (v verifier) next() (part.Part, error) {
	out, err := v.git("rev-list", "--count", "HEAD")
	if err != nil {
		return part.Part{}, err
	}
	n, err := strconv.Atoi(out)
	if err != nil {
		return part.Part{}, fmt.Errorf("counting commits: %w", err)
	}
	return v.parts[n%len(v.parts)], nil
}

// gate runs the part whose turn it is. Where it is red here and at its last green commit, the machine changed
// and not the code: that is no error, and said last. Every other red is one.
func (v verifier) gate(ctx context.Context, record bool) error {
	p, err := v.next()
	if err != nil {
		return err
	}
	v.sayf("verify: the gate runs %s at this commit: %s", p.Name, p.About)
	if record {
		err = v.runAndRecord(ctx, p)
	} else {
		_, err = v.run(ctx, p)
	}
	notice := ""
	if errors.As(err, new(redError)) && ctx.Err() == nil {
		notice, err = v.explain(ctx, p, err)
	}
	if staleErr := v.list(true); err == nil {
		err = staleErr
	}
	fmt.Fprint(v.out, notice)
	return err
}

// explain runs a red part at the commit at which it was last green. It returns the red again, with its
// reason, or, where the part is red there too, what the next developer has to know.
func (v verifier) explain(ctx context.Context, p part.Part, red error) (notice string, err error) {
	rows, err := v.readRows(verifiedFile)
	if err != nil {
		return "", err
	}
	row := lastGreen(rows, p.Name)
	if row == nil {
		return "", fmt.Errorf("%w; it was never green, so repair it first", red)
	}
	commit := row[1]
	v.sayf(
		"verify: %s was last green at %.8s: it runs there too, to tell whether the code or the machine changed",
		p.Name,
		commit,
	)
	switch there, err := v.runAt(ctx, p.Name, commit); {
	case err != nil:
		return "", fmt.Errorf("%w; it counts as never green, since it could not be run at %.8s: %w", red, commit, err)
	case there == 0:
		return "", fmt.Errorf("%w; it is green at %.8s on this machine, so a commit since then broke it", red, commit)
	}
	bar := strings.Repeat("#", 100)
	return fmt.Sprintf("\n%s\n##\n##  PART %s IS RED, AND RED ON COMMIT %.8s TOO, WHERE IT WAS GREEN ONCE.\n"+
		"##  So the machine or a mirror changed, not the code, and this run passes.\n"+
		"##  The next developer repairs that part first: make verify PART=%s\n##\n%s\n", bar, p.Name, commit, p.Name, bar), nil
}

// runAt runs a part at another commit, by that commit's own program in a work tree of its own, and returns 0
// for green and 1 for red. It fails where the commit is not here or has no such part.
func (v verifier) runAt(ctx context.Context, name, commit string) (status int, err error) {
	parent, err := os.MkdirTemp("", "fairbridge-verify-")
	if err == nil {
		err = os.Chmod(parent, 0o755) // tests may run programs as other users
	}
	if err != nil {
		return 0, fmt.Errorf("making a folder for commit %.8s: %w", commit, err)
	}
	defer os.RemoveAll(parent)
	tree := filepath.Join(parent, "tree")
	if _, err := v.git("worktree", "add", "--detach", tree, commit); err != nil {
		return 0, err
	}
	defer v.git("worktree", "remove", "--force", tree)
	program, err := v.build(ctx, tree)
	if err != nil {
		return 0, err
	}
	cmd := exec.CommandContext(ctx, program, name)
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.Cancel = tree, v.out, v.out, func() error { return cmd.Process.Signal(os.Interrupt) }
	err = cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 1 && ctx.Err() == nil {
		return 1, nil
	}
	if err != nil {
		return 0, fmt.Errorf("running part %s at commit %.8s: %w", name, commit, err)
	}
	return 0, nil
}

// buildVerify compiles the verify of a tree.
func buildVerify(ctx context.Context, tree string) (string, error) {
	program := filepath.Join(tree, "bin/verify/verify")
	cmd := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-o", program, "./scripts/verify")
	cmd.Dir = tree
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("compiling its scripts/verify: %w: %s", err, out)
	}
	return program, nil
}
