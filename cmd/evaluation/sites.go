// Command evaluation writes docs/evaluation.md, or with -ratios only its table of policies
// against Slurm alone on generated days, or with -loop-price the one that takes the price of the loop apart, or
// with -start-estimates how good estimates of starts are, or with -sizes what ranges of GPUs are
// worth, or with -choose-windows which windows of the logs of real sites are tried; see packages
// lab/evaluation and lab/sites.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"fairbridge/bridge/datafile"
	"fairbridge/lab/evaluation"
	"fairbridge/lab/keptruns"
	"fairbridge/lab/sites"
	"fairbridge/replica/policyset"
	"fairbridge/replica/study"
)

// siteOptions are the flags about windows of the logs of real sites.
type siteOptions struct {
	logFolder   string
	windowsPath string
	chosen      []sites.Site             // of which windows are chosen; nil: none are
	policies    []policyset.PolicyChoice // that run on the windows; nil: none does
	only        string                   // the site whose windows are taken; "": all
}

func (o *siteOptions) addFlags() {
	flag.StringVar(&o.logFolder, "logs", "", "folder with the logs of sites that -windows names")
	flag.StringVar(&o.windowsPath, "windows", "docs/site-windows.tsv", "list of windows of these logs")
	flag.StringVar(&o.only, "site", "",
		"with -sites: only the windows of this site; the page is printed, and no file written")
	flag.Func("sites", "try these policies, separated by commas, on -windows of -logs beside Slurm alone", func(list string) (err error) {
		o.policies, err = policyset.ParsePolicies(list, false)
		return err
	})
	const usage = "write -windows, without running any policy: sites as NAME=FILE:PROCESSORS separated by commas, " +
		"with FILE in -logs and the processors of the machine"
	flag.Func("choose-windows", usage, func(list string) (err error) {
		o.chosen, err = parseSites(list)
		return err
	})
}

func parseSites(list string) ([]sites.Site, error) {
	var all []sites.Site
	for part := range strings.SplitSeq(list, ",") {
		name, rest, isNamed := strings.Cut(part, "=")
		file, number, isSized := strings.Cut(rest, ":")
		n, err := strconv.Atoi(number)
		if !isNamed || !isSized || err != nil || n <= 0 {
			return nil, fmt.Errorf("site %q: write NAME=FILE:PROCESSORS", part)
		}
		all = append(all, sites.Site{Name: name, File: file, Processors: n})
	}
	return all, nil
}

// chooseWindows writes the list of windows.
func (o *siteOptions) chooseWindows() error {
	if o.logFolder == "" {
		return errors.New("choosing windows: name the folder with the logs by -logs")
	}
	var all []sites.Window
	for _, s := range o.chosen {
		log, err := s.Load(o.logFolder)
		if err != nil {
			return fmt.Errorf("choosing windows of %s: %w", s.Name, err)
		}
		chosen := s.ChooseWindows(log)
		fmt.Fprintf(os.Stderr, "%s: %d windows of %d jobs\n", s.Name, len(chosen), len(log.Jobs))
		all = append(all, chosen...)
	}
	return datafile.SaveFile(o.windowsPath, true, func(w io.Writer) error { return sites.WriteWindows(w, all) })
}

// run writes the results of each row on the windows into the folder of their list: the page sites.md, all figures as
// site-figures.tsv and who loses as site-losers.tsv.
func (o *siteOptions) run(ctx context.Context, runs study.RunKeeper, parallel int, report func(string)) error {
	list, err := os.Open(o.windowsPath)
	if err != nil {
		return fmt.Errorf("reading the list of windows: %w", err)
	}
	defer list.Close()
	windows, err := sites.ReadWindows(list)
	if err != nil {
		return err
	}
	if o.only != "" {
		windows = slices.DeleteFunc(windows, func(w sites.Window) bool { return w.Name != o.only })
		if len(windows) == 0 {
			return fmt.Errorf("%s has no windows of site %q: name a site of its first column", o.windowsPath, o.only)
		}
	}
	all, err := sites.Run(ctx, sites.Options{
		LogFolder: o.logFolder, Windows: windows, Policies: o.policies, Runs: runs, Parallel: parallel, ReportProgress: report,
	})
	if err != nil {
		return err
	}
	rows := sites.AllRows(o.policies)
	if o.only != "" {
		return sites.WritePage(os.Stdout, all, rows)
	}
	save := func(name string, write func(io.Writer) error) error {
		return datafile.SaveFile(filepath.Join(filepath.Dir(o.windowsPath), name), true, write)
	}
	return errors.Join(
		save("site-figures.tsv", func(w io.Writer) error { return sites.WriteFigures(w, all, rows) }),
		save("site-losers.tsv", func(w io.Writer) error { return sites.WriteLosers(w, all, rows) }),
		save("sites.md", func(w io.Writer) error { return sites.WritePage(w, all, rows) }),
	)
}

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
