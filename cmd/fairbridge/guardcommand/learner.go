package guardcommand

import (
	"context"

	"fairbridge/bridge"
	"fairbridge/bridge/harm"
	"fairbridge/bridge/study/policyset"
	"fairbridge/bridge/study/replay"
	"fairbridge/bridge/study/shadow"
	"fairbridge/cmd/fairbridge/simulation"
	"fairbridge/cmd/internal/output"
)

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
