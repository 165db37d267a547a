package simulation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"fairbridge/accounting/chart"
	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
	"fairbridge/cmd/internal/trial"
	"fairbridge/lab/generate"
	"fairbridge/replica/policyset"
	"fairbridge/replica/study"
)

// compareFlags are the flags of compare.
type compareFlags struct {
	simulateFlags
	submitFlags
	generateKind    string
	generateOptions generate.WorkloadOptions
	windowJobs      int // of a trace, by seed; 0: all of it
	offeredLoads    cli.NumberList
	stoppableShares cli.NumberList
	baseline        string // policy that the others are compared with; "": none
	noiseFactor     float64
	isAll           bool // every policy, on a drawn day unless said otherwise
}

// compareHelp explains compare.
const compareHelp = `Simulate many policies, and with --seeds each several times, in parallel. With
--generate every seed draws a workload of its own, and with --window it takes another
part of the trace; else, of a trace, only policies with chance differ from seed to
seed. Figures are medians, with the least and greatest behind them. Where a trace is
one of those published with results, these stand below ours. A policy that fails has
no figures, its row says why, and the exit status is 1.

With --against each policy is compared with that one, seed by seed on the same jobs:
the figures are ratios (median, least–greatest, on how many seeds better:worse); below 1
is better. --against slurm, with Slurm by itself, is what installing fairbridge would
change. Lists in --load and --opted-in give a table for each combination. Interrupted,
it prints what has ended.

With --runs the runs that ended are kept in a folder, and the same command again makes
only what is missing. --submit lets a Slurm job array make it.

`

// NewCompareCommand makes the command that runs policies on the same workload and shows what differs.
func NewCompareCommand(o *cli.Options) *cobra.Command {
	f := &compareFlags{}
	c := &cobra.Command{
		Use:   "compare {--trace FILE | --generate KIND} --cluster SPEC --policy {NAME,NAME[,NAME…] | all}",
		Short: "Many policies on the same jobs, in a table and on a page",
		Long:  compareHelp + simulateHelp,
		Example: `  fairbridge-lab compare --trace history.csv --cluster 16x8:a100 \
      --policy fifo,drf,tiresias --html report.html
  fairbridge-lab compare --generate shockwave --seeds 5 --cluster 64 \
      --policy themis,shockwave
  fairbridge-lab compare --all
  fairbridge-lab compare --generate day --cluster 4x8 --policy easy,drf --per-job jobs.csv
  fairbridge-lab compare --generate day --cluster 4x8 --policy all --against slurm \
      --seeds 20 --load 0.7,1,1.5,3 --opted-in none,half,all --html slurm.html
  fairbridge-lab compare --generate day --cluster 4x8 --policy fairbridge,afs \
      --against slurm --seeds 10 --load 1.5 --elastic 0.3 --mode elastic
  fairbridge-lab compare --trace philly_jobs.csv --skip-bad --window 300 --load 1.5 \
      --seeds 20 --cluster 4x8 --policy fairbridge --against slurm
  fairbridge-lab compare --generate day --cluster 4x8 --policy all --against slurm \
      --seeds 20 --runs /shared/sweep --submit --sbatch '-p cpu -t 4:00:00'`,
		Args: cli.CheckArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return f.compare(c, o.JSON) },
	}
	f.addSharedFlags(c, "exact")
	f.addTraceFlags(c)
	f.AddRepeat(c, "with seeds that follow --seed")
	f.addSweepFlags(c)
	f.addSubmitFlags(c)
	f.sizeFlags.addShare(c)
	return o.AddJSONFlag(c)
}

// addSweepFlags adds what says what is drawn, and compared with what.
func (f *compareFlags) addSweepFlags(c *cobra.Command) {
	f.offeredLoads = cli.NumberList{Least: 0.001, Most: 100}
	f.stoppableShares = cli.NumberList{Most: 1, ByName: map[string]float64{"none": 0, "half": 0.5, "all": 1}}
	s := c.Flags()
	s.BoolVar(&f.isAll, "all", false, "every policy of the catalogue; where nothing else is said, on a drawn day of which all\njobs may be stopped: --policy all --generate day --cluster 4x8 --opted-in all")
	s.StringVar(&f.generateKind, "generate", "", "draw the jobs instead of reading a trace: "+strings.Join(generate.ListKindNames(), ", "))
	s.IntVar(&f.generateOptions.JobCount, "jobs", 0, "with --generate: how many (default: the kind's own)")
	s.Var(&f.offeredLoads, "load", "GPU time asked for, as a part of what the cluster has; several, like 0.7,1,1.5, are\nrun one after the other (default: the kind's own). The times between the arrivals of\na trace are scaled to it")
	s.IntVar(&f.windowJobs, "window", 0, "with --trace: only so many jobs that arrived one after the other, from a place that\neach seed draws (default: all)")
	s.StringVar(&f.baseline, "against", "", "show each policy as ratios to this one, seed by seed on the same jobs; slurm is\nSlurm by itself, and implies --fidelity slurm")
	s.Var(&f.stoppableShares, "opted-in", "which part of the jobs may be stopped, drawn by seed and job: none, half, all, or\nnumbers from 0 to 1; several are run one after the other (default: as the jobs say)")
	s.Float64Var(&f.noiseFactor, "noise", 1, "by what factor the time left that jobs report, or that is predicted of them, is off\n(log-normal, one draw a job, this is one standard deviation); 1: it is right")
	cli.SetRange(c, "jobs", "1", "10000000")
	cli.SetRange(c, "noise", "1", "100")
	cli.SetRange(c, "window", "1", "10000000")
	trial.CompleteWords(c, "generate", generate.ListKindNames()...)
	trial.CompleteWords(c, "opted-in", "none", "half", "all", "none,half,all")
	cobra.CheckErr(c.RegisterFlagCompletionFunc("against", trial.CompletePolicyList))
}

// fillAll fills in what --all stands for.
func (f *compareFlags) fillAll() error {
	if !f.isAll {
		return nil
	}
	if f.PolicyList != "" {
		return cli.NewUsageError(errors.New("--all is every policy: leave out --policy"))
	}
	f.PolicyList, f.ClusterSpec = "all", cmp.Or(f.ClusterSpec, "4x8")
	if f.scenarioSource.TracePath == "" {
		f.generateKind = cmp.Or(f.generateKind, "day")
	}
	if len(f.stoppableShares.Numbers) > 0 {
		return nil
	}
	return f.stoppableShares.Set("all")
}

func (f *compareFlags) compare(c *cobra.Command, json bool) error {
	if err := f.fillAll(); err != nil {
		return err
	}
	if err := errors.Join(f.submitFlags.check(c.Flags()), f.chooseFidelity(c.Flags().Changed("fidelity"))); err != nil {
		return err
	}
	blocks, err := f.readBlocks()
	if err != nil {
		return err
	}
	if f.runsFolder != "" {
		if isDone, err := f.useKeptRuns(c, blocks); err != nil || isDone {
			return err
		}
	}
	files, err := trial.NewFiles(&f.Flags)
	if err != nil {
		return err
	}
	defer files.Discard()
	trial.PrintRemarks(c.ErrOrStderr(), blocks[0].Scenarios[0])
	report := &comparisonReport{blocks: blocks, baseline: f.baseline, files: files, out: c.OutOrStdout(), json: json, keepsJobs: f.PerJobFile != ""}
	ran := f.runBlocks(c, report)
	return errors.Join(report.finish(), describeInterruption(ran), f.describeMissing())
}

// runBlocks runs one block after the other, and tells the report of each that ended.
func (f *compareFlags) runBlocks(c *cobra.Command, report *comparisonReport) error {
	perBlock := len(report.blocks[0].Policies) * f.SeedCount
	m := output.NewProgressBar(c.ErrOrStderr(), perBlock*len(report.blocks))
	defer m.Clear()
	for i, b := range report.blocks {
		ran := b.Run(c.Context(), f.ParallelRuns, func(run int, label string, done, of int) { m.NewUpdater(i*perBlock+run, label)(done, of) })
		if err := report.addBlock(b); err != nil || ran != nil {
			return errors.Join(err, ran)
		}
	}
	return nil
}

// describeInterruption says that what was printed is not all; the error is the context's.
func describeInterruption(err error) error {
	if err == nil || !errors.Is(err, context.Canceled) {
		return err
	}
	return errors.New("interrupted: these are the runs that had ended")
}

// checkFlags looks at flags that need each other.
func (f *compareFlags) checkFlags() error {
	switch {
	case f.generateKind != "" && (f.scenarioSource.TracePath != "" || f.scenarioSource.TablesPath != ""):
		return cli.NewUsageError(errors.New("--generate draws jobs and their speeds: leave out --trace and --tables"))
	case f.generateKind == "" && f.generateOptions != (generate.WorkloadOptions{}):
		return cli.NewUsageError(errors.New("--jobs says what --generate draws; of a trace, --window takes so many"))
	case f.generateKind != "" && f.windowJobs > 0:
		return cli.NewUsageError(errors.New("--window takes a part of a --trace; --generate draws so many --jobs"))
	case f.generateKind == "" && f.scenarioSource.TracePath == "":
		return cli.NewUsageError(errors.New("which jobs? Name a file by --trace, or a kind of workload to draw by --generate; see --help"))
	case f.baseline == "" && f.HTMLFile != "" && len(f.offeredLoads.Numbers)*max(len(f.stoppableShares.Numbers), 1) > 1:
		return cli.NewUsageError(errors.New("--html draws one load and one part of the jobs opted in; with --against it draws several"))
	}
	return nil
}

// chooseFidelity is that of the baseline: Slurm by itself runs through Slurm only.
func (f *compareFlags) chooseFidelity(isGiven bool) error {
	if f.baseline != policyset.SlurmName || f.fidelity != "exact" {
		return nil
	}
	if isGiven {
		return cli.NewUsageError(errors.New("--against slurm compares through Slurm: leave out --fidelity exact; multifactor is the same order, carried out exactly"))
	}
	f.fidelity = "slurm"
	return nil
}

// addBaseline makes sure that the baseline runs too.
func (f *compareFlags) addBaseline(e *study.Experiment) error {
	if f.baseline == "" {
		return nil
	}
	base, err := policyset.ParsePolicies(f.baseline, !e.ThroughSlurm)
	if err == nil && len(base) != 1 {
		err = errors.New("want one policy")
	}
	if err != nil {
		return cli.NewUsageError(fmt.Errorf("--against %s: %w", f.baseline, err))
	}
	f.baseline = base[0].Label
	e.Policies = slices.DeleteFunc(e.Policies, func(p policyset.PolicyChoice) bool { return p.Label == f.baseline })
	if len(e.Policies) == 0 {
		return cli.NewUsageError(fmt.Errorf("--against %s: name another policy by --policy", f.baseline))
	}
	e.Policies = append(base, e.Policies...)
	return nil
}

// comparisonReport tells of the blocks of a sweep as they end.
type comparisonReport struct {
	blocks    []*study.Block
	baseline  string // that policies are compared with; "": none
	files     *trial.Files
	out       io.Writer
	json      bool
	keepsJobs bool // what became of each job is wanted when all is done
	told      []*study.Block
	paired    []*study.PairedBlock
	failed    error
}

// addBlock prints what came of a block.
func (r *comparisonReport) addBlock(b *study.Block) error {
	r.told = append(r.told, b)
	if text := b.Setting.String(); text != "" && !r.json {
		printable.Fprintf(r.out, "%s%s.\n", strings.ToUpper(text[:1]), text[1:])
	}
	if r.baseline == "" {
		r.failed = errors.Join(r.failed, trial.PrintComparison(r.out, b.Experiment, b.Results, r.json))
		return nil
	}
	p, err := b.PairWith(r.baseline)
	if err != nil {
		return err
	}
	r.paired = append(r.paired, p)
	if r.json {
		err = writeRatioLines(r.out, p)
	} else {
		printRatios(r.out, p)
	}
	r.failed = errors.Join(r.failed, study.CheckFailures(b.Results))
	if !r.keepsJobs {
		b.DropJobs()
	}
	return err
}

// finish explains the tables, writes the files, and says what failed.
func (r *comparisonReport) finish() error {
	if len(r.paired) > 0 && !r.json {
		printable.Fprintlines(r.out, ratiosLegend(r.paired[0].Baseline.PolicyLabel))
	}
	return errors.Join(writeBlocks(r.files, r.told, r.paired), r.failed)
}

// writeBlocks writes them of a sweep: beside a baseline the page shows ratios.
func writeBlocks(f *trial.Files, blocks []*study.Block, paired []*study.PairedBlock) error {
	if len(paired) == 0 && len(blocks) == 1 {
		return f.Write(blocks[0].Experiment, blocks[0].Results)
	}
	if len(paired) > 0 {
		if err := f.HTMLPage.Write(func(w io.Writer) error {
			page := study.NewRatioPage(paired, trial.DescribeExperiment(paired[0].Experiment), paired[0].DescribeInformation(), paired[0].DescribeNoise())
			page.Footer = cli.MadeByText()
			return chart.WriteReportPage(w, page)
		}); err != nil {
			return err
		}
	}
	return f.PerJob.Write(func(w io.Writer) error { return study.WriteBlockOutcomes(w, blocks) })
}
