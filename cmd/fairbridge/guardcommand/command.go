// Package guardcommand is the command guard: the harm guard asked, looked at and overruled.
package guardcommand

import (
	"context"

	"github.com/spf13/cobra"

	"fairbridge/bridge"
	"fairbridge/bridge/harm"
	"fairbridge/bridge/study/policyset"
	"fairbridge/bridge/study/replay"
	"fairbridge/bridge/study/shadow"
	"fairbridge/cmd/fairbridge/simulation"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
)

// NewCommand makes the command with its commands.
func NewCommand(o *cli.Options) *cobra.Command {
	c := cli.NewGroupCommand(&cobra.Command{
		Use:   "guard",
		Short: "The harm guard: are jobs worse off than with Slurm alone?",
		Long: `While a partition is live, compare what its jobs really met (waits, slowdowns, idle GPUs,
stops) with what the simulation says Slurm alone would have done with the same jobs. A
partition whose harm exceeds the bounds of the configuration (guard), check after check
and beyond what the simulation may be off, is demoted to mode observe until a person
clears it. Where that comes from the days of a canary's candidate, the candidate alone is:
the partition's own policy decides on all days. What cannot be told changes nothing.

fairbridge-guard.timer runs guard check every hour. The daemon asks before each cycle
which partitions are demoted, and gives back what of ours stands in their jobs.`,
		Example: `  fairbridge guard check
  fairbridge guard show
  fairbridge guard demote gpu --why "looks wrong to me"
  fairbridge guard clear gpu --why "mended: see ticket 4711"`,
	})
	c.AddCommand(newCheckCommand(o), newShowCommand(o), newDemoteCommand(o), newClearCommand(o))
	return c
}

// checkLearner compares a partition's policy that learnt with its teacher, live or not: its plans are the
// teacher's from the next cycle on where it does worse.
func (k *checker) checkLearner(ctx context.Context, p *bridge.Partition, active []bridge.Demotion) (outcome, error) {
	if d := bridge.FindLearnerDemotion(active, p); d != nil {
		return outcome{harm.NewBlindCheck(p.Name, k.now, "Demoted: its teacher decides."), d}, nil
	}
	o := outcome{Check: k.judgeLearner(ctx, p)}
	if k.dryRun || ctx.Err() != nil {
		return o, ctx.Err()
	}
	if err := k.db.PutCheck(ctx, k.file.Cluster, &o.Check); err != nil {
		return o, err
	}
	return o, k.fallBackIfDue(ctx, p, &o)
}

// fallBackIfDue demotes a policy that learnt where the check asks for it.
func (k *checker) fallBackIfDue(ctx context.Context, p *bridge.Partition, o *outcome) error {
	d, yes := harm.DecideFallback(&o.Check, bridge.FormatDecider(p.Policy, p.Params), k.file.Guard)
	if !yes {
		return nil
	}
	o.Demotion = &d
	_, err := k.db.Demote(ctx, k.file.Cluster, d)
	return err
}

// judgeLearner makes the check. What keeps it from being made is its reason: it cannot tell.
func (k *checker) judgeLearner(ctx context.Context, p *bridge.Partition) harm.Check {
	m, err := k.measureLearner(ctx, p)
	if err != nil {
		return harm.NewBlindCheck(p.Name, k.now, "Not compared with its teacher: "+err.Error())
	}
	return harm.JudgeMeasurement(p.Name, k.now, m, k.file.Guard)
}

func (k *checker) measureLearner(ctx context.Context, p *bridge.Partition) (m harm.Measurement, err error) {
	learner, err := policyset.ChoiceFromRecord(p.Policy, p.Params)
	if err != nil {
		return m, err
	}
	period := replay.Period{Cluster: k.file.Cluster, Partition: p.Name, Since: k.now.Add(-harm.LearnerWindow), Until: k.now, LoopConfig: k.loop, IsNow: true}
	site, err := period.ReadScenario(ctx, simulation.SiteRecord{Stores: k.db})
	if err != nil {
		return m, err
	}
	bar := output.NewProgressBar(k.progress, shadow.CountLearnerRuns(k.seedCount))
	defer bar.Clear()
	return shadow.MeasureLearner(ctx, site, learner, shadow.Options{
		RunOptions: k.options, SeedCount: k.seedCount, ParallelRuns: k.parallelRuns,
		Progress: func(run int, label string, done, of int) { bar.NewUpdater(run, label)(done, of) },
	})
}
