// Command fidelity sends the same streams of jobs through a real slurmctld and through the
// simulated one, and writes docs/fidelity.md; see package bridge/study/fidelity. Real runs
// that are in the folder already are not made again.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"fairbridge/bridge/study/fidelity"
	"fairbridge/cmd/internal/version"
)

// keptRuns is where the repository keeps real runs, a folder for each release, seen from its root.
const keptRuns = "bridge/study/fidelity/testdata/realruns/"

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
