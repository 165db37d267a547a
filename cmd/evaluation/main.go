// Command evaluation writes docs/evaluation.md, or with -ratios only its table of policies
// against Slurm alone on generated days, or with -loop-price the one that takes the price of the loop apart, or
// with -start-estimates how good estimates of starts are, or with -sizes what ranges of GPUs are
// worth, or with -choose-windows which windows of the logs of real sites are tried; see packages
// lab/evaluation and lab/sites.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"

	"fairbridge/lab/evaluation"
	"fairbridge/lab/keptruns"
)

// options are the flags.
type options struct {
	path            string
	evaluation      evaluation.Options
	writesTable     bool
	writesLoopPrice bool
	writesEstimates bool
	writesSizes     bool
	table           evaluation.SlurmTableOptions
	folder          string
	phillyPath      string
	takesAnyOfRuns  bool
	sites           siteOptions
}

func main() {
	var o options
	o.addFlags()
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := o.write(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "evaluation:", err)
		os.Exit(1)
	}
}

func (o *options) addFlags() {
	flag.StringVar(&o.path, "o", "docs/evaluation.md", "file to write")
	flag.StringVar(&o.evaluation.TracesFolder, "traces", "", "folder with the Shockwave artifact's traces and throughput tables; without it these tables are left out")
	flag.BoolVar(&o.evaluation.IsQuick, "quick", false, "small sizes only, to try the command")
	flag.BoolVar(&o.writesTable, "ratios", false, "write only the section that compares policies with Slurm alone on generated days, and leave the rest of the file")
	flag.StringVar(&o.phillyPath, "philly", "", "with -start-estimates: Microsoft's Philly trace as a table; without it its windows are left out")
	flag.StringVar(&o.folder, "runs-in", "evaluation-runs", "with -ratios or -sites: folder with the runs that ended, one file each; those are not made again")
	flag.BoolVar(&o.takesAnyOfRuns, "any-program", false, "with -ratios or -sites: take runs also that another build of this program made")
	flag.BoolVar(&o.table.MakesNone, "made", false, "with -ratios: make no runs: the section from those that are there")
	flag.IntVar(&o.table.SeedCount, "seeds", 0, "with -ratios: only the first so many seeds, so that all rows stand on the same days where runs are missing; 0: all")
	flag.IntVar(&o.table.Parallel, "parallel", runtime.GOMAXPROCS(0), "with -ratios, -sites, -loop-price or -sizes: runs at a time")
	flag.BoolVar(&o.writesLoopPrice, "loop-price", false, "write only the section that takes the price of the loop apart, one switch at a time")
	flag.BoolVar(&o.writesSizes, "sizes", false, "write only the section that says what ranges of GPUs are worth beside Slurm alone")
	o.sites.addFlags()
	flag.BoolVar(&o.writesEstimates, "start-estimates", false, "write only the section that scores estimates of starts")
}

// write writes the page, or its section.
func (o *options) write(ctx context.Context) error {
	report := func(what string) { fmt.Fprintln(os.Stderr, what) }
	if o.sites.chosen != nil {
		return o.sites.chooseWindows()
	}
	if o.writesLoopPrice {
		return evaluation.WriteLoopPrice(ctx, o.path, evaluation.LoopPriceOptions{Parallel: o.table.Parallel, IsQuick: o.evaluation.IsQuick, ReportProgress: report})
	}
	if o.writesEstimates {
		return evaluation.WriteStartEstimates(ctx, o.path, evaluation.StartEstimateOptions{PhillyPath: o.phillyPath, IsQuick: o.evaluation.IsQuick, ReportProgress: report})
	}
	if o.writesSizes {
		return evaluation.WriteSizes(ctx, o.path, evaluation.SizesOptions{Parallel: o.table.Parallel, IsQuick: o.evaluation.IsQuick, ReportProgress: report})
	}
	if !o.writesTable && o.sites.policies == nil {
		o.evaluation.ReportProgress = report
		return evaluation.WriteEvaluation(ctx, o.path, o.evaluation)
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	program, err := keptruns.HashProgram()
	if err != nil {
		return err
	}
	runs, err := keptruns.Open(o.folder, program, o.takesAnyOfRuns)
	if err != nil {
		return err
	}
	if o.sites.policies != nil {
		return o.sites.run(ctx, runs, o.table.Parallel, report)
	}
	o.table.Runs, o.table.ReportProgress, o.table.IsQuick = runs, report, o.evaluation.IsQuick
	return evaluation.WriteSlurmTable(ctx, o.path, o.table)
}
