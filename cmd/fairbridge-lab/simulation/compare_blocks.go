package simulation

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"fairbridge/bridge"
	"fairbridge/cmd/internal/cli"
	"fairbridge/lab/experiment"
	"fairbridge/replica/published"
	"fairbridge/replica/study"
)

// readBlocks reads the flags and the files they name: an experiment for each load and each
// part of the jobs that may be stopped.
func (f *compareFlags) readBlocks() ([]*study.Block, error) {
	if err := f.checkFlags(); err != nil {
		return nil, err
	}
	jobs := f.generateKind
	if jobs == "" {
		jobs = f.scenarioSource.TracePath
	}
	e, err := f.newCheckedExperiment(jobs)
	if err != nil {
		return nil, err
	}
	if err := f.addBaseline(e); err != nil {
		return nil, err
	}
	e.NoiseFactor = f.noiseFactor
	var blocks []*study.Block
	loads := f.offeredLoads.Numbers
	if len(loads) == 0 {
		loads = []float64{0}
	}
	for _, load := range loads {
		scenarios, err := f.readScenarios(load)
		if err != nil {
			return nil, err
		}
		scenarios = f.sizeFlags.declareRanges(scenarios, f.Seed, f.scenarioSource.Reports)
		of := *e
		if f.generateKind == "" {
			if set := published.FindResultSet(scenarios[0].Jobs, scenarios[0].CountGPUs()); set != nil {
				of.PublishedRows = set.Rows
			}
		}
		if err := f.addScenarios(&of, scenarios...); err != nil {
			return nil, err
		}
		blocks = append(blocks, f.splitByStoppable(study.Block{Setting: study.Setting{OfferedLoad: load}, Experiment: &of})...)
	}
	return blocks, nil
}

// readScenarios reads or draws the jobs of all seeds.
func (f *compareFlags) readScenarios(load float64) ([]*study.Scenario, error) {
	if f.generateKind == "" {
		return f.readTraceScenarios(load)
	}
	o := f.generateOptions
	o.OfferedLoad = load
	var scenarios []*study.Scenario
	jobs := 0
	for i := range f.SeedCount {
		s, err := experiment.GenerateScenario(f.generateKind, o, f.Seed+int64(i), f.scenarioSource.Nodes)
		if err != nil {
			return nil, cli.NewUsageError(err)
		}
		f.scenarioSource.Reports.SetReports(s.Jobs)
		scenarios = append(scenarios, s)
		if jobs += len(s.Jobs); jobs > maxDrawnJobs {
			return nil, cli.NewUsageError(fmt.Errorf("--seeds %d: the first %d draw %d jobs together, want at most %d: take fewer seeds or --jobs", f.SeedCount, i+1, jobs, maxDrawnJobs))
		}
	}
	return scenarios, nil
}

// readTraceScenarios reads the trace, and takes the window of each seed and scales it to the
// load where that is wanted.
func (f *compareFlags) readTraceScenarios(load float64) ([]*study.Scenario, error) {
	whole, err := experiment.LoadScenario(f.scenarioSource)
	if err != nil {
		return nil, err
	}
	var scenarios []*study.Scenario
	for i := range f.SeedCount {
		s := whole
		if f.windowJobs > 0 {
			if s, err = s.TakeWindow(f.windowJobs, f.Seed+int64(i)); err != nil {
				return nil, cli.NewUsageError(err)
			}
		} else if i > 0 {
			scenarios = append(scenarios, scenarios[0])
			continue
		}
		if load > 0 {
			if s, err = s.ScaleToLoad(load); err != nil {
				return nil, cli.NewUsageError(err)
			}
		}
		scenarios = append(scenarios, s)
	}
	return scenarios, nil
}

// maxDrawnJobs is how many jobs all seeds may draw together; they are held in memory.
const maxDrawnJobs = 10_000_000

// splitByStoppable returns the block once for each part of the jobs that may be stopped.
func (f *compareFlags) splitByStoppable(b study.Block) []*study.Block {
	if len(f.stoppableShares.Numbers) == 0 {
		return []*study.Block{&b}
	}
	var blocks []*study.Block
	for _, share := range f.stoppableShares.Numbers {
		e := *b.Experiment
		e.Scenarios = nil
		for i, s := range b.Scenarios {
			drawn := *s
			drawn.Jobs = slices.Clone(s.Jobs)
			study.SetStoppableShare(drawn.Jobs, share, f.Seed+int64(i))
			e.Scenarios = append(e.Scenarios, &drawn)
		}
		blocks = append(blocks, &study.Block{Setting: study.Setting{OfferedLoad: b.OfferedLoad, StoppableShare: &share}, Experiment: &e})
	}
	return blocks
}

// sizeFlags say how far plans reach a simulated Slurm, and which jobs leave their number of GPUs to us. The zero sizeFlags
// change nothing.
type sizeFlags struct {
	mode         string  // "": preempt
	elasticShare float64 // of jobs; negative: as the jobs say
}

// modes are those in which a plan reaches Slurm.
var modes = []bridge.Mode{bridge.ModeRank, bridge.ModeSteer, bridge.ModePreempt, bridge.ModeElastic}

// modeNames are their names.
func modeNames() []string {
	var names []string
	for _, m := range modes {
		names = append(names, string(m))
	}
	return names
}

// addMode adds --mode.
func (f *sizeFlags) addMode(c *cobra.Command) {
	f.elasticShare = -1
	c.Flags().
		StringVar(&f.mode, "mode", "", "with fidelity slurm: how much of a plan reaches Slurm: "+strings.Join(modeNames(), ", ")+";\nin mode elastic jobs with a range may get another number of GPUs than they ask (default preempt)")
	cobra.CheckErr(
		c.RegisterFlagCompletionFunc("mode", cobra.FixedCompletions(modeNames(), cobra.ShellCompDirectiveNoFileComp)),
	)
}

// addShare adds --elastic.
func (f *sizeFlags) addShare(c *cobra.Command) {
	c.Flags().
		Float64Var(&f.elasticShare, "elastic", -1, "which part of the jobs that fit on one node declares that it runs on half to twice the\nGPUs it asks for, drawn by seed and job, with Amdahl's speeds, which it reports; the\nothers are rigid; 0 to 1 (default: as the jobs say)")
	cli.SetRange(c, "elastic", "0", "1")
}

// setMode sets the mode of the experiment.
func (f *sizeFlags) setMode(e *study.Experiment) error {
	switch {
	case f.mode == "":
		return nil
	case !slices.Contains(modes, bridge.Mode(f.mode)):
		return cli.NewUsageError(
			fmt.Errorf("mode %q is unknown, there are %s", f.mode, strings.Join(modeNames(), ", ")),
		)
	case !e.ThroughSlurm:
		return cli.NewUsageError(
			errors.New(
				"--mode says how much of a plan reaches Slurm: add --fidelity slurm, or leave it out; exactly, sizes always act",
			),
		)
	}
	if e.Mode = bridge.Mode(f.mode); e.Mode == bridge.ModePreempt {
		e.Mode = "" // the same, and kept runs are found by it
	}
	return nil
}

// declareRanges lets a part of the jobs of each scenario declare a range, by --elastic; the scenarios
// given stay as they are.
func (f *sizeFlags) declareRanges(scenarios []*study.Scenario, seed int64, reports study.JobReports) []*study.Scenario {
	if f.elasticShare < 0 {
		return scenarios
	}
	var out []*study.Scenario
	for i, s := range scenarios {
		drawn := *s
		drawn.Jobs = slices.Clone(s.Jobs)
		drawn.SetElasticShare(f.elasticShare, seed+int64(i))
		if reports == study.NoneReports {
			reports.SetReports(drawn.Jobs)
		}
		out = append(out, &drawn)
	}
	return out
}
