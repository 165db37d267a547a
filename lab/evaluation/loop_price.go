package evaluation

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"fairbridge/bridge"
	"fairbridge/lab/experiment"
	"fairbridge/lab/generate"
	"fairbridge/replica/measure"
	"fairbridge/replica/paired"
	"fairbridge/replica/policyset"
	"fairbridge/replica/study"
)

// LoopPriceOptions say how the price of the loop is taken apart.
type LoopPriceOptions struct {
	Parallel int  // runs at a time
	IsQuick  bool // one short run of each, to try it
	// ReportProgress is told how far it is.
	ReportProgress func(what string)
}

// loopSwitch is one thing of the loop that is done otherwise.
type loopSwitch struct {
	title      string
	policyName string // "": fairbridge
	isExact    bool   // plans are carried out at once
	change     func(o *study.RunOptions)
}

// referenceSwitches stand first in every table: without the loop, and with it as it is.
var referenceSwitches = []loopSwitch{
	{title: "carried out at once, GPUs of a gang anywhere", isExact: true, change: func(*study.RunOptions) {}},
	{title: "carried out at once, gangs node by node", isExact: true, change: experiment.KeepNodeShapes},
	{title: "as it is", change: func(*study.RunOptions) {}},
}

// orderSwitches are those that are told apart where no job may be stopped.
var orderSwitches = []loopSwitch{
	{title: "without holds and node lists", change: func(o *study.RunOptions) { o.Mode = bridge.ModeRank }},
	{title: "a cycle every 10 s", change: func(o *study.RunOptions) { o.LoopConfig.Interval = 10 * time.Second }},
	{title: "Slurm's own order (`multifactor`)", policyName: "multifactor:size=0,partition=0,fair_share=classic", change: func(*study.RunOptions) {}},
}

// stopSwitches are those that are told apart where all jobs may be stopped.
var stopSwitches = []loopSwitch{
	{title: "stops by percentages alone (`small_cluster_gpus: 0`)", change: func(o *study.RunOptions) { o.LoopConfig.Budgets.SmallClusterGPUs = 0 }},
	{title: "half of the GPUs an hour (`small_stop_percent: 50`)", change: func(o *study.RunOptions) {
		o.LoopConfig.Budgets.SmallClusterGPUs, o.LoopConfig.Budgets.SmallStopPercent = 1600, 50
	}},
	{title: "all budgets of stops open", change: openStopBudgets},
}

// openStopBudgets lets jobs be stopped whatever the budgets say.
func openStopBudgets(o *study.RunOptions) {
	b := &o.LoopConfig.Budgets
	b.StopPercent, b.StopPercent1h, b.LostPercent24h, b.LostPercent1h, b.PlanStopPercent = 100, 10_000, 100, 100, 100
	b.UserStops1h, b.AccountStops1h, b.JobStops4h, b.JobStops24h, b.Cooldown = 1000, 1000, 100, 100, time.Minute
}

// loopPriceTitle is the heading of the section that WriteLoopPrice writes.
// loopPriceDays is the part of a day that a seed draws.
const loopPriceDays = 1.0 / 6

const loopPriceTitle = "## The price of the loop, taken apart\n"

const loopPriceText = `
One thing of the loop at a time done otherwise, under policy ` + "`fairbridge`" + `, as ratios to Slurm
alone on the same jobs: drawn half days (` + "`--generate day`" + `) at load 1.5 on 4x8 GPUs, %s; median
least–greatest and on how many better:worse. Gangs are jobs of several GPUs. This section is written by
` + "`go run ./cmd/evaluation -loop-price`" + `.

"Carried out at once" is the same policy with what it knows live, without loop, gate and Slurm. Gangs
that take GPUs wherever there are some, as in the simulators of papers, have it far easier than
those that ask Slurm for whole nodes: most of what looks like the loop's price is this.
`

// WriteLoopPrice makes the runs and writes the section of the page that takes the price of the
// loop apart; the rest of the page stays.
func WriteLoopPrice(ctx context.Context, path string, o LoopPriceOptions) error {
	page, err := readPage(path)
	if err != nil {
		return err
	}
	seeds := 20
	if o.IsQuick {
		seeds = 1
	}
	section := bytes.NewBufferString(loopPriceTitle)
	fmt.Fprintf(section, loopPriceText, seedCountText(seeds))
	for _, part := range []struct {
		title    string
		share    float64
		switches []loopSwitch
	}{{"No job may be stopped", 0, orderSwitches}, {"All jobs may be stopped", 1, stopSwitches}} {
		fmt.Fprintf(section, "\n### %s\n\n", part.title)
		if err := o.writeSwitches(ctx, section, slices.Concat(referenceSwitches, part.switches), part.share, seeds); err != nil {
			return err
		}
	}
	return saveSection(path, page, loopPriceTitle, section.String())
}

// loopPriceFigures are the columns, by their keys, and what they are called.
var loopPriceFigures = [][2]string{
	{"mean_completion_s", "Mean completion"}, {"mean_wait_s", "Mean wait"}, {"slowdown_gangs", "Slowdown of gangs"}, {"stops", "Stops"}, {"writes", "Writes"},
}

// writeSwitches makes the runs of one table and writes it.
func (o *LoopPriceOptions) writeSwitches(ctx context.Context, page *bytes.Buffer, switches []loopSwitch, share float64, seeds int) error {
	all := append([]loopSwitch{{policyName: policyset.SlurmName, change: func(*study.RunOptions) {}}}, switches...)
	runs := make([][]*measure.Run, len(all))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(o.Parallel, 1))
	for seed := range seeds {
		s, err := o.drawJobs(int64(seed+1), share)
		if err != nil {
			return err
		}
		for i := range all {
			runs[i] = append(runs[i], nil)
			group.Go(func() (err error) {
				runs[i][seed], err = all[i].run(ctx, s, int64(seed+1))
				return err
			})
		}
	}
	if err := group.Wait(); err != nil {
		return err
	}
	o.ReportProgress(fmt.Sprintf("price of the loop: %g of the jobs may be stopped", share))
	set := paired.NewSet(8, nil)
	writeHeader(page, append([]string{"Switch"}, titlesOf(loopPriceFigures)...)...)
	for i, x := range switches {
		c := set.Compare(x.title, runs[i+1], runs[0])
		writeRow(page, append([]string{x.title}, formatSpreads(set, &c, loopPriceFigures)...)...)
	}
	return nil
}

// drawJobs draws what a seed brings.
func (o *LoopPriceOptions) drawJobs(seed int64, share float64) (*study.Scenario, error) {
	part := loopPriceDays
	if o.IsQuick {
		part = 0.02
	}
	s, err := drawScenario("day", generate.WorkloadOptions{OfferedLoad: 1.5, DayCount: part}, seed, slurmTableCluster)
	if err == nil {
		study.SetStoppableShare(s.Jobs, share, seed)
	}
	return s, err
}

// run simulates the scenario with the switch.
func (x *loopSwitch) run(ctx context.Context, s *study.Scenario, seed int64) (*measure.Run, error) {
	name := x.policyName
	if name == "" {
		name = "fairbridge"
	}
	policies, err := policyset.ParsePolicies(name, x.isExact)
	if err != nil {
		return nil, err
	}
	o := study.RunOptions{ThroughSlurm: !x.isExact, Seed: seed, LoopConfig: bridge.DefaultConfig()}
	if err := experiment.SetClock(&o, "auto", 0, s); err != nil {
		return nil, err
	}
	x.change(&o)
	return s.Run(ctx, policies[0], o, nil)
}
