// Command fidelity sends the same streams of jobs through a real slurmctld and through the
// simulated one, and writes docs/fidelity.md; see package lab/fidelity. Real runs
// that are in the folder already are not made again.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"fairbridge/cmd/fidelity/realrun"
	"fairbridge/cmd/internal/version"
	"fairbridge/lab/fidelity"
)

// keptRuns is where the repository keeps real runs, a folder for each release, seen from its root.
const keptRuns = "lab/fidelity/testdata/realruns/"

func main() {
	var o options
	streams := flag.String("streams", strings.Join(streamNames(), ","), "streams of jobs, with commas")
	arms := flag.String("arms", "alone,holds,stops", "Slurm alone, with order and holds, with stops")
	flag.IntVar(&o.runCount, "runs", 5, "real runs of each; simulated are four times as many")
	flag.IntVar(&o.parallel, "parallel", 2, "real Slurms at the same time")
	flag.IntVar(&o.speed, "speed", 0, "seconds a second lasts in the real Slurm; 0: what the stream says")
	flag.StringVar(&o.folder, "runs-in", keptRuns+"22.05", "folder with the real runs, one file each; those that are there are not made again")
	also := flag.String("also", keptRuns+"24.11", "folders with real runs of other releases, with commas, which the page shows too")
	flag.StringVar(&o.root, "slurm-root", "", "root directory made by scripts/slurm/root, whose release of Slurm is run")
	flag.BoolVar(&o.makesNone, "made", false, "make no real runs: the page from those that are there")
	page := flag.String("o", "docs/fidelity.md", "page to write; -: to the screen")
	flag.Usage = printUsage
	flag.Parse()
	o.streams, o.arms = strings.Split(*streams, ","), strings.Split(*arms, ",")
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	runs, err := o.collectRuns(ctx)
	if err == nil && *also != "" {
		runs, err = o.addOthers(ctx, runs, strings.Split(*also, ","))
	}
	if err == nil {
		err = fidelity.WritePage(*page, runs, 4*o.runCount, version.ReadInfo().Commit)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "fidelity:", err)
		os.Exit(1)
	}
}

const usage = `fidelity sends streams of jobs through real, throw-away Slurms and the simulated one, and writes the page.

  fidelity -streams short -runs 1 -runs-in /tmp/runs -o -   one run of each arm, to the screen
  fidelity -streams day -arms holds -runs 1 -speed 40       256 nodes with fairbridge beside them: 12 minutes
  fidelity -streams arrays -slurm-root ROOT -runs-in DIR    another release of Slurm (scripts/slurm/root makes ROOT)
  fidelity -made                                            the page from the runs that the repository keeps

`

func printUsage() {
	fmt.Fprint(flag.CommandLine.Output(), usage)
	flag.PrintDefaults()
}

func streamNames() []string {
	var out []string
	for _, s := range fidelity.Streams() {
		out = append(out, s.Name)
	}
	return out
}

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
