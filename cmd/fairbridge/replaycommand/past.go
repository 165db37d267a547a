package replaycommand

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"fairbridge/accounting/stores"
	"fairbridge/accounting/studies"
	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
	"fairbridge/cmd/internal/trial"
	"fairbridge/cmd/settings"
	"fairbridge/policy"
	"fairbridge/replica/measure"
	"fairbridge/replica/policyset"
	"fairbridge/replica/replay"
	"fairbridge/replica/study"
)

// replayFlags are the flags of a replay of the past.
type replayFlags struct {
	trial.Flags
	since, until  string
	allStoppable  bool
	isStored      bool
	slurmConfFile string // file
}

func (f *replayFlags) addFlags(c *cobra.Command) {
	cli.SetRange(c, "cycle", "0", "1000000000000000")
	f.AddPolicies(c)
	f.AddRepeat(c, "for policies with chance")
	s := c.Flags()
	s.StringVar(&f.since, "since", "", "simulate the past since then: so long ago (30d), or a time")
	s.StringVar(&f.until, "until", "", "and until then (default: now)")
	s.StringVar(&f.ClusterSpec, "cluster", "", "simulate on another cluster: 16x4:a100,8x8:h100 (default: the nodes of the last\nstored cycle, on which fidelity is always stated)")
	s.BoolVar(&f.allStoppable, "stoppable", false, "as if every job let itself be stopped")
	s.BoolVar(&f.isStored, "store", false, "also store what came of it in the database, for fairbridge study and the page Before/after:\nfigures of all jobs together, none of a user or account")
	s.StringVar(&f.slurmConfFile, "slurm-conf", "", "Slurm's settings: slurm.conf, or what scontrol show config printed (default: what\nscontrol says, if it is there)")
}

func (f *replayFlags) replayPast(c *cobra.Command, o *cli.Options, partition string) error {
	if f.PolicyList == "" {
		f.PolicyList = policyset.SlurmName
	}
	e, err := f.NewExperiment(true)
	if err != nil {
		return err
	}
	file, err := o.LoadSettings()
	if err != nil {
		return err
	}
	if partition, err = ChoosePartition(file, partition); err != nil {
		return cli.NewUsageError(err)
	}
	files, err := trial.NewFiles(&f.Flags)
	if err != nil {
		return err
	}
	defer files.Discard()
	site, err := f.readPast(c.Context(), file, partition, e)
	if err != nil {
		return err
	}
	trial.PrintRemarks(c.ErrOrStderr(), site.Scenario)
	if asked := site.OnAskedNodes; asked != nil {
		asked.Remarks = slices.DeleteFunc(asked.Remarks, func(r string) bool { return slices.Contains(site.Remarks, r) })
		trial.PrintRemarks(c.ErrOrStderr(), asked)
	}
	results, fidelity, err := f.compareWithPast(c, e, site, files, o.JSON)
	if results == nil {
		return err
	}
	return errors.Join(err, f.store(c, file, e, newStudy(site, results, fidelity)))
}

// store stores a study where that is asked for.
func (f *replayFlags) store(c *cobra.Command, file *settings.File, e *study.Experiment, s *studies.Study) error {
	if !f.isStored {
		return nil
	}
	s.By, s.Fidelity, s.Seeds, s.About = cli.PersonName(), "slurm", f.SeedCount, trial.DescribeExperimentAs(e, "medians")+" "+e.DescribeInformation()
	if f.allStoppable {
		s.About += " As if every job let itself be stopped."
	}
	db, err := cli.OpenDB(c.Context(), file)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := db.AddStudy(c.Context(), file.Cluster, s); err != nil {
		return err
	}
	printable.Fprintf(c.ErrOrStderr(), "Stored as study %d: \"fairbridge study\" and the page Before/after show it.\n", s.ID)
	return nil
}

// readPast reads the past, and makes it the experiment's scenarios.
func (f *replayFlags) readPast(ctx context.Context, file *settings.File, partition string, e *study.Experiment) (*replay.PastScenario, error) {
	p := replay.Period{Cluster: file.Cluster, Partition: partition, Nodes: f.Nodes, AllStoppable: f.allStoppable}
	var err error
	if p.Since, p.Until, err = cli.ParsePeriod(f.since, f.until, time.Now()); err != nil {
		return nil, cli.NewUsageError(err)
	}
	unread, err := ReadSlurmConf(ctx, f.slurmConfFile, file.Slurm.Scontrol, &e.RunOptions)
	if err != nil {
		return nil, err
	}
	if p.LoopConfig, err = file.LoopConfig(); err != nil {
		return nil, err
	}
	db, err := cli.OpenDB(ctx, file)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	site, err := p.ReadScenario(ctx, SiteRecord{db})
	if err != nil {
		return nil, err
	}
	if unread != "" {
		site.Remarks = append(site.Remarks, unread)
	}
	if e.LoopConfig, e.History = site.LoopConfig, site.History; e.ClusterSpec == "" {
		e.ClusterSpec = fmt.Sprintf("of %s as last stored", policy.FormatCount(len(site.Nodes), "node"))
	}
	e.RestartCost = study.DefaultRestartCost
	e.Scenarios = slices.Repeat([]*study.Scenario{cmp.Or(site.OnAskedNodes, site.Scenario)}, f.SeedCount)
	return site, nil
}

// ReadSlurmConf reads the settings of the simulated Slurm from the file of --slurm-conf, else
// from what that scontrol says. Where there is none either, it has Slurm's defaults, and unread
// says so. Errors name the file and what in it makes no sense.
func ReadSlurmConf(ctx context.Context, path string, scontrol []string, o *study.RunOptions) (unread string, err error) {
	if path != "" {
		text, err := os.ReadFile(path)
		if err != nil {
			return "", fmt.Errorf("reading --slurm-conf: %w", err)
		}
		if o.SlurmConfig, err = replay.ParseSlurmConf(string(text)); err != nil {
			return "", cli.NewUsageError(fmt.Errorf("%s: %w", path, err))
		}
		return "", nil
	}
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	argv := append(append([]string{}, scontrol...), "show", "config")
	text, err := exec.CommandContext(ctx, argv[0], argv[1:]...).Output()
	if err == nil {
		o.SlurmConfig, err = replay.ParseSlurmConf(string(text))
	}
	if err != nil {
		unread = fmt.Sprintf("Slurm's settings could not be read (%v); the simulated one has the defaults. --slurm-conf names a file", err)
	}
	return unread, nil
}

// SiteRecord is the database as a replay reads it.
type SiteRecord struct{ *stores.Stores }

// LastSnapshot implements replay.CyclesRecord.
func (r SiteRecord) LastSnapshot(ctx context.Context, cluster, partition string) (*policy.Snapshot, error) {
	c, err := r.ReadCycle(ctx, cluster, partition, 0)
	if err != nil {
		return nil, err
	}
	return c.ParseSnapshot()
}

// compareWithPast simulates what was done, says how near that came, and goes on to the
// policies that are not what was done anyway. Where results are returned the error is that of a policy.
func (f *replayFlags) compareWithPast(c *cobra.Command, e *study.Experiment, site *replay.PastScenario, files *trial.Files, json bool) ([]study.Result, *replay.Accuracy, error) {
	m := output.NewProgressBar(c.ErrOrStderr(), 1)
	rerun, fidelity, err := site.Rerun(c.Context(), e.RunOptions, m.NewUpdater(0, site.Decider.Label))
	m.Clear()
	if err != nil {
		return nil, nil, err
	}
	w := c.OutOrStdout()
	if !json {
		printAccuracy(w, fidelity)
	}
	if site.OnAskedNodes == nil { // else the rerun, on the nodes of then, is no answer
		e.Policies = slices.DeleteFunc(e.Policies, func(p policyset.PolicyChoice) bool { return p.Label == site.Decider.Label })
	}
	results := []study.Result{study.NewResult(site.RealRun.PolicyName, site.RealRun), rerun}
	if len(e.Policies) > 0 {
		more, err := trial.Run(c, e, f.ParallelRuns)
		if err != nil {
			return nil, nil, err
		}
		results = append(results, more...)
	}
	if err := files.Write(e, results, fidelity.String()); err != nil {
		return nil, nil, err
	}
	if json {
		if err := output.WriteJSONLines(w, []map[string]*replay.Accuracy{{"fidelity": fidelity}}); err != nil {
			return nil, nil, err
		}
	}
	return results, fidelity, trial.PrintComparison(w, e, results, json)
}

// printAccuracy says how far to trust what follows.
func printAccuracy(w io.Writer, f *replay.Accuracy) {
	printable.Fprintf(w, "How near a simulation of what was done (%s) comes to what happened, for the %s\nthat arrived then, on the %s of then:\n\n", f.Policy, policy.FormatCount(f.JobCount, "job"), policy.FormatCount(f.ClusterGPUs, "GPU"))
	t := trial.NewNumberTable(w, "", "HAPPENED", "SIMULATED", "OFF")
	for _, x := range f.Figures() {
		t.AddRow(x.Name, fmt.Sprintf("%.1f", x.Real), fmt.Sprintf("%.1f", x.Simulated), x.FormatError())
	}
	t.Print()
	printable.Fprintf(w, "\nRank correlation, job by job: completion %.2f, wait %.2f; half of the waits are off by\n%.0f s or less. Waits end at the first start; those after a requeue count in the completion alone.\nDifferences between policies that are smaller than this mean nothing.\n\n",
		f.JCTRankCorrelation, f.WaitRankCorrelation, f.MedianWaitError)
}

// newStudy makes a study of what came of policies on the past of a partition. It has what is known of all jobs together, and
// nothing of single ones; accuracy may be nil.
func newStudy(site *replay.PastScenario, results []study.Result, accuracy *replay.Accuracy) *studies.Study {
	s := &studies.Study{Partition: site.Partition, Since: site.Since, Until: site.Until, Lines: []studies.Line{}}
	if accuracy != nil {
		s.Accuracy = accuracy.String()
	}
	s.Remarks = append(s.Remarks, site.Remarks...)
	if asked := site.OnAskedNodes; asked != nil {
		s.Remarks = append(s.Remarks, asked.Remarks...)
	}
	for i := range results {
		if r := &results[i]; r.Err != nil {
			s.Lines = append(s.Lines, studies.Line{Policy: r.Label, Error: r.Err.Error()})
		} else {
			s.Lines = append(s.Lines, newLine(r.Label, &r.Median))
		}
	}
	return s
}

func newLine(label string, m *measure.Summary) studies.Line {
	return studies.Line{
		Policy: label, JobCount: m.JobCount, MeanJCT: m.AvgJCT, MedianJCT: m.MedianJCT, P99JCT: m.P99JCT, MeanWait: m.AvgQueueSeconds, WorstRho: m.WorstRho,
		UnfairPart: m.UnfairShare, Utilization: m.Utilization, RestartCount: m.RestartCount, LostGPUHours: m.LostGPUHours,
	}
}
