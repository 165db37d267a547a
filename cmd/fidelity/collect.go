package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"fairbridge/bridge/study/fidelity"
	"fairbridge/cmd/fidelity/realrun"
)

// options are what the command was told.
type options struct {
	streams, arms             []string
	runCount, parallel, speed int
	folder, root              string
	makesNone                 bool
}

// task is one real run to be made or read.
type task struct {
	stream fidelity.Stream
	arm    fidelity.Arm
	file   string
}

// listTasks lists the real runs, the first of every stream and arm before the second of any.
func (o *options) listTasks() ([]task, error) {
	var out []task
	for k := range o.runCount {
		for _, name := range o.streams {
			s, err := fidelity.FindStream(name)
			if err != nil {
				return nil, err
			}
			if o.speed > 0 {
				s.Speed = o.speed
			}
			for _, a := range o.arms {
				if !slices.Contains(fidelity.Arms, fidelity.Arm(a)) {
					return nil, fmt.Errorf("no arm %q; there are %v", a, fidelity.Arms)
				}
				file := filepath.Join(o.folder, fidelity.RunFileName(name, fidelity.Arm(a), k+1))
				out = append(out, task{s, fidelity.Arm(a), file})
			}
		}
	}
	return out, nil
}

// collectRuns reads the real runs that are there and makes the others. A run that fails is
// told and left out; the command may be started again.
func (o *options) collectRuns(ctx context.Context) ([]fidelity.RealRun, error) {
	tasks, err := o.listTasks()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(o.folder, 0o755); err != nil {
		return nil, err
	}
	runs := make([]*fidelity.RealRun, len(tasks))
	var wait sync.WaitGroup
	slots := make(chan bool, max(o.parallel, 1))
	for i, t := range tasks {
		slots <- true
		wait.Go(func() {
			defer func() { <-slots }()
			run, err := o.readOrMake(ctx, t)
			if err != nil {
				fmt.Fprintf(os.Stderr, "fidelity: %s: left out: %v\n", t.file, err)
				return
			}
			runs[i] = run
		})
	}
	wait.Wait()
	var out []fidelity.RealRun
	for _, r := range runs {
		if r != nil {
			out = append(out, *r)
		}
	}
	return out, nil
}

// addOthers adds the real runs that other folders have; none are made there.
func (o *options) addOthers(ctx context.Context, runs []fidelity.RealRun, folders []string) ([]fidelity.RealRun, error) {
	for _, folder := range folders {
		if _, err := os.Stat(folder); err != nil {
			return nil, fmt.Errorf("reading real runs of another release: %w", err)
		}
		others := *o
		others.folder, others.makesNone = folder, true
		more, err := others.collectRuns(ctx)
		if err != nil {
			return nil, err
		}
		runs = append(runs, more...)
	}
	return runs, nil
}

func (o *options) readOrMake(ctx context.Context, t task) (*fidelity.RealRun, error) {
	r, err := fidelity.LoadRun(t.file)
	if r != nil || err != nil {
		return r, err
	}
	if err := ctx.Err(); err != nil || o.makesNone {
		return nil, err
	}
	if r, err = realrun.Make(ctx, t.stream, t.arm, o.root); err != nil {
		return nil, err
	}
	fmt.Fprintf(os.Stderr, "%s: %s\n", t.file, r.OneLine())
	return r, r.Save(t.file)
}
