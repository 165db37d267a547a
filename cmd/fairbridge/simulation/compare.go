package simulation

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"fairbridge/bridge/study"
	"fairbridge/bridge/study/chart"
	"fairbridge/bridge/study/datafile"
	"fairbridge/bridge/study/generate"
	"fairbridge/bridge/study/published"
	"fairbridge/cmd/internal/cli"
)

// compareFlags are the flags of compare.
type compareFlags struct {
	simulateFlags
	generateKind    string
	generateOptions generate.WorkloadOptions
}

// NewCompareCommand makes the command that runs policies on the same workload and shows what differs.
func NewCompareCommand(o *cli.Options) *cobra.Command {
	f := &compareFlags{}
	c := &cobra.Command{
		Use:   "compare {--trace FILE | --generate KIND} --cluster SPEC --policy NAME,NAME[,NAME…]",
		Short: "Many policies on the same jobs, in a table and on a page",
		Long: `Simulate many policies, and with --seeds each several times, in parallel. With
--generate every seed draws a workload of its own; of a trace, only policies with
chance differ from seed to seed. Figures are medians, with the least and greatest
behind them. Where a trace is one of those published with results, these stand
below ours. A policy that fails has no figures, its row says why, and the exit
status is 1.

` + simulateHelp,
		Example: `  fairbridge compare --trace history.csv --cluster 16x8:a100 --policy fifo,drf,tiresias \
      --html report.html
  fairbridge compare --generate shockwave --seeds 5 --cluster 64 --policy themis,shockwave
  fairbridge compare --generate day --cluster 4x8 --policy easy,drf --per-job jobs.csv`,
		Args: cli.CheckArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return f.compare(c, o.JSON) },
	}
	f.addSharedFlags(c, "exact")
	f.addTraceFlags(c)
	f.addRepeatFlags(c, "with seeds that follow --seed")
	s := c.Flags()
	s.StringVar(&f.generateKind, "generate", "", "draw the jobs instead of reading a trace: "+strings.Join(generate.ListKindNames(), ", "))
	s.IntVar(&f.generateOptions.JobCount, "jobs", 0, "with --generate: how many (default: the kind's own)")
	s.Float64Var(&f.generateOptions.OfferedLoad, "load", 0, "with --generate: GPU time asked for, as a part of what the cluster has\n(default: the kind's own)")
	cli.SetRange(c, "jobs", "1", "10000000")
	cli.SetRange(c, "load", "0.001", "100")
	completeWords(c, "generate", generate.ListKindNames()...)
	return o.AddJSONFlag(c)
}

func (f *compareFlags) compare(c *cobra.Command, json bool) error {
	e, err := f.readExperiment()
	if err != nil {
		return err
	}
	files, err := newResultFiles(&f.simulateFlags)
	if err != nil {
		return err
	}
	defer files.discard()
	printRemarks(c.ErrOrStderr(), e.Scenarios[0])
	results, err := runExperiment(c, e, f.parallelRuns)
	if err != nil {
		return err
	}
	if err := files.write(e, results); err != nil {
		return err
	}
	return printComparison(c.OutOrStdout(), e, results, json)
}

// readExperiment reads the flags and the files they name.
func (f *compareFlags) readExperiment() (*study.Experiment, error) {
	if err := f.checkFlags(); err != nil {
		return nil, err
	}
	if f.generateKind == "" {
		e, err := f.newTraceExperiment()
		if err != nil {
			return nil, err
		}
		e.Scenarios = slices.Repeat(e.Scenarios, f.seedCount)
		if set := published.FindResultSet(e.Scenarios[0].Jobs, e.Scenarios[0].CountGPUs()); set != nil {
			e.PublishedRows = set.Rows
		}
		return e, nil
	}
	e, err := f.newCheckedExperiment(f.generateKind)
	if err != nil {
		return nil, err
	}
	var scenarios []*study.Scenario
	jobs := 0
	for i := range f.seedCount {
		s, err := study.GenerateScenario(f.generateKind, f.generateOptions, f.seed+int64(i), f.scenarioSource.Nodes)
		if err != nil {
			return nil, cli.NewUsageError(err)
		}
		f.scenarioSource.Reports.SetReports(s.Jobs, true)
		scenarios = append(scenarios, s)
		if jobs += len(s.Jobs); jobs > maxDrawnJobs {
			return nil, cli.NewUsageError(fmt.Errorf("--seeds %d: the first %d draw %d jobs together, want at most %d: take fewer seeds or --jobs", f.seedCount, i+1, jobs, maxDrawnJobs))
		}
	}
	return e, f.addScenarios(e, scenarios...)
}

// maxDrawnJobs is how many jobs all seeds may draw together; they are held in memory.
const maxDrawnJobs = 10_000_000

func (f *compareFlags) checkFlags() error {
	switch {
	case f.generateKind != "" && (f.scenarioSource.TracePath != "" || f.scenarioSource.TablesPath != ""):
		return cli.NewUsageError(errors.New("--generate draws jobs and their speeds: leave out --trace and --tables"))
	case f.generateKind == "" && f.generateOptions != (generate.WorkloadOptions{}):
		return cli.NewUsageError(errors.New("--jobs and --load say what --generate draws; a trace has its own"))
	case f.generateKind == "" && f.scenarioSource.TracePath == "":
		return cli.NewUsageError(errors.New("which jobs? Name a file by --trace, or a kind of workload to draw by --generate; see --help"))
	}
	return nil
}

// resultFiles are the files in which results are written besides.
type resultFiles struct{ htmlPage, perJob *datafile.AtomicFile }

// newResultFiles makes sure that they can be written.
func newResultFiles(f *simulateFlags) (*resultFiles, error) {
	page, err := datafile.CreateFile(f.htmlFile)
	if err != nil {
		return nil, err
	}
	jobs, err := datafile.CreateFile(f.perJobFile)
	if err != nil {
		page.Discard()
		return nil, err
	}
	return &resultFiles{page, jobs}, nil
}

func (f *resultFiles) discard() {
	f.htmlPage.Discard()
	f.perJob.Discard()
}

// write writes them; more sentences come below the title of the page.
func (f *resultFiles) write(e *study.Experiment, results []study.Result, more ...string) error {
	if err := f.htmlPage.Write(func(w io.Writer) error {
		page := e.NewComparisonPage(results, describeExperiment(e))
		page.About, page.Footer = append(append(page.About, e.DescribeInformation()), more...), cli.MadeByText()
		return chart.WriteComparisonPage(w, page)
	}); err != nil {
		return err
	}
	return f.perJob.Write(func(w io.Writer) error { return study.WriteJobOutcomes(w, results) })
}
