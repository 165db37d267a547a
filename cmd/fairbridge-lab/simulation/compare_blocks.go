package simulation

import (
	"fmt"
	"slices"

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
