package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"fairbridge/scripts/verify/part"
)

// verify runs the named parts or, without names, all that are not yet green for this tree.
func (v verifier) verify(ctx context.Context, names []string) error {
	todo, err := v.choose(names)
	if err != nil {
		return err
	}
	var red []string
	for i, p := range todo {
		v.sayf("verify: %s, %d of %d: %s", p.Name, i+1, len(todo), p.About)
		err := v.runAndRecord(ctx, p)
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf(
				"running part %s: stopped by a signal; run make verify again, which goes on where it was",
				p.Name,
			)
		case errors.As(err, new(redError)):
			red = append(red, p.Name)
		case err != nil:
			return err
		}
	}
	if len(red) > 0 {
		const remedy = "read bin/verify/NAME.log, repair it and run make verify PART=NAME"
		return redError{fmt.Errorf("red: %s; %s", strings.Join(red, ", "), remedy)}
	}
	v.sayf("verify: all is green")
	return nil
}

// choose returns the parts with these names, or those that are not yet green for this tree.
func (v verifier) choose(names []string) ([]part.Part, error) {
	if len(names) == 0 {
		return v.notGreen()
	}
	var chosen []part.Part
	for _, name := range names {
		parts := part.Named(v.parts, name)
		if len(parts) == 0 {
			return nil, fmt.Errorf("no part is called %q, see verify --list; %w", name, errUsage)
		}
		chosen = append(chosen, parts...)
	}
	return chosen, nil
}

// notGreen returns the parts whose last green run was on another tree than this one. With uncommitted changes that is
// all.
func (v verifier) notGreen() ([]part.Part, error) {
	_, clean, err := v.state()
	if err != nil {
		return nil, err
	}
	rows, err := v.readRows(verifiedFile)
	var todo []part.Part
	for _, p := range v.parts {
		if row := lastGreen(rows, p.Name); clean && row != nil && v.sameTree(row[1]) {
			v.sayf("verify: %s is green for this tree since %.8s", p.Name, row[1])
			continue
		}
		todo = append(todo, p)
	}
	return todo, err
}

// runAndRecord runs a part and, where it is green, keeps that, if it was this commit that ran.
func (v verifier) runAndRecord(ctx context.Context, p part.Part) error {
	before, cleanBefore, err := v.state()
	if err != nil {
		return err
	}
	seconds, err := v.run(ctx, p)
	if err != nil {
		return err
	}
	after, cleanAfter, err := v.state()
	switch {
	case err != nil:
		return err
	case !cleanBefore || !cleanAfter || before != after:
		v.sayf(
			"verify: %s is not recorded: the tree has changes that are not committed, or changed meanwhile; commit and run it again",
			p.Name,
		)
		return nil
	}
	return v.record(p.Name, before, seconds)
}

// redError says that a part is red.
type redError struct{ error }

// run runs a part's commands and returns the seconds they took, or a redError. Their output is kept in bin/verify as
// well.
func (v verifier) run(ctx context.Context, p part.Part) (seconds int, err error) {
	name := filepath.Join(v.root, "bin/verify", p.Name+".log")
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return 0, fmt.Errorf("making the folder of logs: %w; remove what stands there", err)
	}
	log, err := os.Create(name)
	if err != nil {
		return 0, fmt.Errorf("writing the log of part %s: %w", p.Name, err)
	}
	defer log.Close()
	v.out = io.MultiWriter(v.out, log)
	begin := time.Now()
	limit := cmp.Or(p.Limit, part.DefaultLimit)
	within, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("it took longer than its limit of %s", limit))
	defer cancel()
	for _, argv := range p.Commands {
		if err = v.runCommand(within, p, argv); err != nil {
			break
		}
	}
	took := time.Since(begin).Round(time.Second)
	if err != nil {
		v.sayf("verify: %s is RED after %s: %v", p.Name, took, err)
		return 0, redError{fmt.Errorf("part %s is red: %w", p.Name, err)}
	}
	v.sayf("verify: %s is green after %s", p.Name, took)
	return int(took.Seconds()), nil
}

// runCommand runs one command of a part, with all that it starts, and stops all of it when the time is over.
func (v verifier) runCommand(ctx context.Context, p part.Part, argv []string) error {
	v.sayf("verify: %s", strings.Join(argv, " "))
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = v.root, v.out, v.out, 20*time.Second
	cmd.Env = append(environment(), append([]string{part.Variable + "=" + p.Name}, p.Env...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	err := cmd.Run()
	if ctx.Err() != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what did not end when it was asked to
		return fmt.Errorf("running %s: %w", argv[0], context.Cause(ctx))
	}
	if err != nil {
		return fmt.Errorf("running %s: %w", strings.Join(argv, " "), err)
	}
	return nil
}

// environment is that of all parts: seeds are the same each time, and no result of an earlier run is taken for this
// one's.
func environment() []string {
	return append(os.Environ(), "RAPID_SEED=1", "MAKEFLAGS=", "GOFLAGS="+os.Getenv("GOFLAGS")+" -trimpath -count=1")
}
