package searchcommand

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"fairbridge/bridge/study"
	"fairbridge/bridge/study/cluster"
	"fairbridge/bridge/study/replay"
	"fairbridge/bridge/study/trace"
	"fairbridge/cmd/fairbridge/simulation"
	"fairbridge/cmd/internal/cli"
)

// readScenario reads the jobs, from a trace or from the database.
func (f *pcsFlags) readScenario(ctx context.Context) (*study.Scenario, error) {
	switch hasTrace, hasPast := f.source.TracePath != "", f.since != ""; {
	case hasTrace == hasPast:
		return nil, cli.NewUsageError(errors.New("say of which jobs: --trace FILE --cluster SPEC, or --since TIME"))
	case hasTrace:
		return f.readTrace()
	}
	return f.readPast(ctx)
}

func (f *pcsFlags) readTrace() (*study.Scenario, error) {
	if f.clusterSpec == "" {
		return nil, cli.NewUsageError(errors.New("--cluster is missing: how many GPUs has the cluster of the trace?"))
	}
	if all, format := trace.FormatNames(), f.source.TraceOptions.Format; format != "auto" && !slices.Contains(all, format) {
		return nil, cli.NewUsageError(fmt.Errorf("format %q is unknown, there are auto, %s", format, strings.Join(all, ", ")))
	}
	var err error
	if f.source.Nodes, err = cluster.ParseSpec(f.clusterSpec); err != nil {
		return nil, cli.NewUsageError(err)
	}
	return study.LoadScenario(f.source)
}

// readPast reads what the partition ran.
func (f *pcsFlags) readPast(ctx context.Context) (*study.Scenario, error) {
	if f.clusterSpec != "" {
		return nil, cli.NewUsageError(errors.New("--cluster is of --trace: the past has the nodes it ran on"))
	}
	file, err := f.LoadSettings()
	if err != nil {
		return nil, err
	}
	p := replay.Period{Cluster: file.Cluster}
	if p.Since, p.Until, err = cli.ParsePeriod(f.since, f.until, time.Now()); err != nil {
		return nil, cli.NewUsageError(err)
	}
	if p.Partition, err = simulation.ChoosePartition(file, f.partition); err != nil {
		return nil, cli.NewUsageError(err)
	}
	if p.LoopConfig, err = file.LoopConfig(); err != nil {
		return nil, err
	}
	db, err := cli.OpenDB(ctx, file)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	site, err := p.ReadScenario(ctx, simulation.SiteRecord{Stores: db})
	if err != nil {
		return nil, err
	}
	return site.Scenario, nil
}
