package guardcommand

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"fairbridge/accounting/guard"
	"fairbridge/accounting/stores"
	"fairbridge/bridge"
	"fairbridge/bridge/harm"
	"fairbridge/cmd/fairbridge/replaycommand"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
	"fairbridge/cmd/settings"
	"fairbridge/replica/replay"
	"fairbridge/replica/shadow"
	"fairbridge/replica/study"
)

// checkFlags are those of guard check.
type checkFlags struct {
	partition               string
	dryRun                  bool
	seed                    int64
	seedCount, parallelRuns int
	slurmConfFile           string
}

func newCheckCommand(o *cli.Options) *cobra.Command {
	f := &checkFlags{}
	c := &cobra.Command{
		Use:   "check",
		Short: "Check every live partition now, and demote those that are harmed",
		Long: `Take what each live partition ran within the window, simulate it several times under
Slurm alone and as it was done, and judge what the jobs really met by the difference. The
check is stored. Where checks in a row, half an hour apart or more, show harm, the
partition is demoted; under a canary, the checks of the candidate's days count by
themselves, and demote the candidate alone. Takes seconds to minutes for each partition.

Exit status 3 when a partition was found harmed, or it or its candidate is demoted.`,
		Example: `  fairbridge guard check
  fairbridge guard check -p gpu --dry-run
  fairbridge guard check --json`,
		Args: cli.CheckArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c, o) },
	}
	s := c.Flags()
	s.StringVarP(&f.partition, "partition", "p", "", "only this partition")
	s.BoolVar(&f.dryRun, "dry-run", false, "store nothing and demote nothing")
	s.Int64Var(&f.seed, "seed", 1, "of all chance")
	s.IntVar(&f.seedCount, "seeds", 5, "how many times what was done is simulated (Slurm alone: four times as often), with\nother phases of Slurm's periodic work and arrivals moved by seconds")
	s.IntVar(&f.parallelRuns, "parallel", max(runtime.GOMAXPROCS(0)/2, 1), "simulations at a time")
	s.StringVar(&f.slurmConfFile, "slurm-conf", "", "Slurm's settings: slurm.conf, or what scontrol show config printed (default: what\nscontrol says, if it is there)")
	cli.SetRange(c, "seed", "-1000000000000", "1000000000000")
	cli.SetRange(c, "seeds", "2", "1000")
	cli.SetRange(c, "parallel", "1", "1024")
	cobra.CheckErr(c.RegisterFlagCompletionFunc("partition", o.CompletePartitionNames()))
	return o.AddJSONFlag(c)
}

// outcome is what a check of one partition led to.
type outcome struct {
	harm.Check
	Demotion *bridge.Demotion `json:"demotion,omitempty"` // that stands, or that the check led to
}

func (f *checkFlags) run(c *cobra.Command, o *cli.Options) error {
	file, err := o.LoadSettings()
	if err != nil {
		return err
	}
	if err := cli.CheckPartitionName(file, f.partition); err != nil {
		return cli.NewUsageError(err)
	}
	k := checker{checkFlags: f, file: file, progress: c.ErrOrStderr(), now: time.Now().UTC().Truncate(time.Microsecond)}
	if k.loop, err = file.LoopConfig(); err != nil {
		return err
	}
	k.options = study.RunOptions{Seed: f.seed}
	if k.unread, err = replaycommand.ReadSlurmConf(c.Context(), f.slurmConfFile, file.Slurm.Scontrol, &k.options); err != nil {
		return err
	}
	if k.db, err = cli.OpenDB(c.Context(), file); err != nil {
		return err
	}
	defer k.db.Close()
	outcomes, err := k.checkAll(c.Context())
	if err != nil {
		return err
	}
	return writeOutcomes(c.OutOrStdout(), outcomes, f.dryRun, o.JSON)
}

// checker checks the partitions of a site as of a moment.
type checker struct {
	*checkFlags
	file     *settings.File
	loop     bridge.Config
	options  study.RunOptions
	unread   string // what of Slurm's settings is not known
	db       *stores.Stores
	progress io.Writer
	now      time.Time
}

func (k *checker) checkAll(ctx context.Context) ([]outcome, error) {
	active, err := k.db.ActiveDemotions(ctx, k.file.Cluster)
	if err != nil {
		return nil, err
	}
	outcomes := []outcome{}
	for i := range k.loop.Partitions {
		p := &k.loop.Partitions[i]
		if k.partition != "" && k.partition != p.Name {
			continue
		}
		if !p.Mode.Allows(bridge.ModeRank) {
			continue
		}
		o, err := k.checkPartition(ctx, p, findBlinding(active, p.Name))
		if err != nil {
			return nil, err
		}
		if o.Demotion == nil {
			o.Demotion = bridge.FindCandidateDemotion(active, p)
		}
		outcomes = append(outcomes, o)
	}
	return outcomes, nil
}

// findBlinding returns the demotion by which nothing of ours is live in a partition; nil: something is.
func findBlinding(active []bridge.Demotion, partition string) *bridge.Demotion {
	if d := bridge.FindDemotion(active, partition); d != nil && d.LeftMode() == bridge.ModeObserve {
		return d
	}
	return nil
}

// checkPartition checks a partition; one that is demoted is not live, and there is nothing to check.
func (k *checker) checkPartition(ctx context.Context, p *bridge.Partition, standing *bridge.Demotion) (outcome, error) {
	if standing != nil {
		return outcome{harm.NewBlindCheck(p.Name, k.now, "Demoted: nothing of ours is live."), standing}, nil
	}
	stretch, err := k.db.ReadStretch(ctx, k.file.Cluster, p.Name, k.now.Add(-k.lookBack(p)), turnsOf(p)...)
	if err != nil {
		return outcome{}, err
	}
	o := outcome{Check: k.judge(ctx, p, stretch)}
	if k.dryRun || ctx.Err() != nil {
		return o, ctx.Err()
	}
	if err := k.db.PutCheck(ctx, k.file.Cluster, &o.Check); err != nil {
		return o, err
	}
	if stretch == nil {
		return o, nil
	}
	o.Demotion, err = k.demoteIfDue(ctx, p, stretch)
	return o, err
}

// turnsLookBack is how far back the checks of a canary's candidate matter: its days are few.
const turnsLookBack = 15 * 24 * time.Hour

// lookBack is how far back anything matters.
func (k *checker) lookBack(p *bridge.Partition) time.Duration {
	back := max(k.file.Guard.Window, time.Duration(2*k.file.Guard.Checks)*time.Hour)
	if p.Canary != nil {
		back = max(back, turnsLookBack)
	}
	return back
}

// turnsOf are who take turns to decide about a partition with a canary.
func turnsOf(p *bridge.Partition) []bridge.Decider {
	if p.Canary == nil {
		return nil
	}
	return []bridge.Decider{p.Decider(), {Partition: p.Name, Policy: p.Canary.Policy, Params: p.Canary.Params}}
}

// maxCheckAge is how old the last cycle may be: what jobs met since is not known.
const maxCheckAge = 10 * time.Minute

// judge makes the check. What keeps it from being made is its reason: it cannot tell.
func (k *checker) judge(ctx context.Context, p *bridge.Partition, s *guard.Stretch) harm.Check {
	switch {
	case s == nil:
		return harm.NewBlindCheck(p.Name, k.now, "No cycle is stored of late: is the daemon running?")
	case k.now.Sub(s.LastCycleAt) > max(maxCheckAge, k.file.MaxCycleAge()):
		return harm.NewBlindCheck(p.Name, k.now, fmt.Sprintf("The last cycle was %s ago: is the daemon running?", output.FormatAge(k.now, s.LastCycleAt)))
	case !s.Mode.Allows(bridge.ModeRank):
		return harm.NewBlindCheck(p.Name, k.now, fmt.Sprintf("The last cycle was in mode %s: nothing of ours was live.", s.Mode))
	}
	m, err := k.measure(ctx, p, s)
	if err != nil {
		return harm.NewBlindCheck(p.Name, k.now, "Not measured: "+err.Error())
	}
	if k.unread != "" {
		m.Remarks = append(m.Remarks, k.unread)
	}
	return harm.JudgeMeasurement(p.Name, k.now, m, k.file.Guard)
}

// measure simulates what the partition ran since it is live, within the window.
func (k *checker) measure(ctx context.Context, p *bridge.Partition, s *guard.Stretch) (m harm.Measurement, err error) {
	period := replay.Period{Cluster: k.file.Cluster, Partition: p.Name, Since: s.LastCycleAt.Add(-k.file.Guard.Window), Until: s.LastCycleAt, LoopConfig: k.loop, IsNow: true}
	if s.Since.After(period.Since) {
		period.Since = s.Since
	}
	site, err := period.ReadScenario(ctx, replaycommand.SiteRecord{Stores: k.db})
	if err != nil {
		return m, err
	}
	bar := output.NewProgressBar(k.progress, shadow.CountLiveRuns(k.seedCount))
	defer bar.Clear()
	return shadow.MeasureLive(ctx, site, shadow.Options{
		RunOptions: k.options, SeedCount: k.seedCount, ParallelRuns: k.parallelRuns,
		Progress: func(run int, label string, done, of int) { bar.NewUpdater(run, label)(done, of) },
	})
}

// demoteIfDue demotes the partition, or the candidate of its canary, if the checks since it is live as
// it is, or was last let go, ask for it.
func (k *checker) demoteIfDue(ctx context.Context, p *bridge.Partition, s *guard.Stretch) (*bridge.Demotion, error) {
	since, err := k.readLastClearing(ctx, p.Name, s.LiveSince)
	if err != nil {
		return nil, err
	}
	checks, err := k.db.ListChecks(ctx, k.file.Cluster, p.Name, since, maxChecksRead)
	if err != nil || len(checks) == 0 {
		return nil, err
	}
	candidate := ""
	if c := p.Canary; c != nil && s.Policy == c.Policy && s.Params == c.Params {
		candidate = c.Candidate()
	}
	d, yes := harm.DecideDemotionByTurns(checks, candidate, k.file.Guard)
	if !yes {
		return nil, nil
	}
	_, err = k.db.Demote(ctx, k.file.Cluster, d)
	return &d, err
}

// readLastClearing returns when a demotion of the partition or a candidate last ended, if that was
// after a moment; else the moment.
func (k *checker) readLastClearing(ctx context.Context, partition string, since time.Time) (time.Time, error) {
	all, err := k.db.ListDemotions(ctx, k.file.Cluster, since)
	for i := range all {
		d := &all[i]
		end := d.Cleared
		if end.IsZero() && !d.Stands {
			end = d.Until
		}
		if d.Partition == partition && end.After(since) {
			since = end
		}
	}
	return since, err
}

// maxChecksRead is how many checks are looked at, more than may have to be in a row.
const maxChecksRead = 1000
