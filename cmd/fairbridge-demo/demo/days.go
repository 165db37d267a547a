package demo

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/sync/errgroup"

	"fairbridge/bridge/printable"
	"fairbridge/cmd/fairbridge-demo/workday"
	"fairbridge/policy"
)

// dayRecords are what became of the jobs of both days.
type dayRecords struct{ alone, withFairbridge []workday.JobOutcome }

// playVirtual plays the day twice in virtual time: on a simulated Slurm alone, then on
// another with the loop of fairbridge beside it.
func (s *demonstration) playVirtual(ctx context.Context, c *Comparison) (out dayRecords, d *daemon, err error) {
	begin := virtualDayBegin(time.Now())
	alone, err := startSimulatedCluster(s.dir, s.Seed, begin)
	if err != nil {
		return out, nil, err
	}
	s.addCleanup(alone.Close)
	s.introduceDay(c, alone.Title())
	s.screen.printf("\n1. Slurm alone, in virtual time")
	if out.alone, err = s.playOne(ctx, alone, &c.AloneFigures, nil); err != nil {
		return out, nil, err
	}
	beside, err := startSimulatedCluster(s.dir, s.Seed, begin)
	if err != nil {
		return out, nil, err
	}
	s.addCleanup(beside.Close)
	if d, err = s.installDaemon(ctx, "", beside.Access()); err != nil {
		return out, nil, err
	}
	s.addCleanup(d.stop)
	loop, err := startConfiguredLoop(ctx, beside, d.configPath, d.db)
	if err != nil {
		return out, nil, err
	}
	s.virtualCluster = loop
	s.introduceFairbridge("2. The same day with fairbridge beside a fresh Slurm, in virtual time too")
	w := s.newMonitor(d, nil, loop.Now)
	if out.withFairbridge, err = s.playOne(ctx, loop, &c.FairbridgeFigures, w); err != nil {
		return out, nil, err
	}
	return out, d, s.countChanges(ctx, c, w.decisions)
}

// playReal plays the day on two Slurms at the same time, of which one has fairbridge
// beside it: whatever this machine is busy with, both are on it.
func (s *demonstration) playReal(ctx context.Context, c *Comparison, clusters [2]*realCluster) (out dayRecords, d *daemon, err error) {
	alone, beside := clusters[0], clusters[1]
	gpus, url := s.startProbes()
	if d, err = s.installDaemon(ctx, url, beside.Access()); err != nil {
		return out, nil, err
	}
	s.addCleanup(d.stop)
	if err := s.setPace(ctx, c, clusters, d); err != nil {
		return out, nil, err
	}
	s.introduceDay(c, alone.Title())
	if err := d.start(ctx); err != nil {
		return out, nil, err
	}
	s.introduceFairbridge("On two Slurms at the same time: one alone, one with fairbridge beside it")
	w := s.newMonitor(d, gpus, time.Now)
	first, begin := uint64(0), time.Now()
	if first, err = d.countCycles(ctx); err != nil {
		return out, nil, err
	}
	group, playing := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		out.alone, err = s.playOne(playing, alone, &c.AloneFigures, nil)
		return err
	})
	group.Go(func() (err error) {
		if out.withFairbridge, err = s.playOne(playing, beside, &c.FairbridgeFigures, w); err == nil {
			err = c.Machine.countLateCycles(ctx, d, first, time.Since(begin))
		}
		return err
	})
	if err := group.Wait(); err != nil {
		return out, nil, err
	}
	return out, d, s.countChanges(ctx, c, w.decisions)
}

// setPace measures the machine and configures fairbridge for what it can keep.
func (s *demonstration) setPace(ctx context.Context, c *Comparison, clusters [2]*realCluster, d *daemon) error {
	s.screen.setStatus("Measuring this machine …")
	m, err := measureMachine(ctx, clusters[:], d)
	if err != nil {
		return err
	}
	s.pace = suitablePace(m)
	if s.Speed > 0 {
		s.pace.speed = s.Speed
	}
	c.Machine = &MachineReport{SubmissionSeconds: m.Submission.Seconds(), CycleSeconds: m.Cycle.Seconds(), ListingSeconds: m.Listing.Seconds(), IntervalSeconds: s.pace.interval.Seconds()}
	s.screen.printf("This machine takes %.1f s for a submission, %.1f s for a look and a plan: fairbridge looks every %v, and a day passes %.0f times faster than a real one.",
		m.Submission.Seconds(), m.Cycle.Seconds(), s.pace.interval, s.pace.speed)
	s.dayJobs = workday.NewDay(s.Seed, s.pace.speed)
	for _, x := range clusters {
		x.speed = s.pace.speed
	}
	return s.configureDaemon(d)
}

// introduceDay says what is played.
func (s *demonstration) introduceDay(c *Comparison, title string) {
	c.SlurmTitle = title
	tasks := 0
	for i := range s.dayJobs {
		tasks += s.dayJobs[i].TaskCount()
	}
	s.screen.printf("A day of %d jobs (seed %d) on %s, %d nodes with %d GPUs each. Three accounts: research has 2 shares, teaching and vision 1 each.",
		tasks, s.Seed, title, workday.NodeCount, workday.GPUsPerNode)
}

func (s *demonstration) introduceFairbridge(how string) {
	s.screen.printf("\n%s: mode preempt, policy %s. Its first decision of each kind:", how, s.Policy)
}

func (s *demonstration) newMonitor(d *daemon, p *probes, now func() time.Time) *monitor {
	n := &decisionLog{db: d.db, cluster: d.access.Cluster, now: now, since: now().Add(-time.Minute), announcedIntents: map[string]bool{}, jobNameByID: map[int64]string{}, printf: s.screen.printf}
	return &monitor{demonstration: s, daemon: d, decisions: n, probes: p}
}

// playOne plays the day on one cluster and takes its records; w watches fairbridge there, nil:
// there is none.
func (s *demonstration) playOne(ctx context.Context, slurm cluster, f **workday.Figures, w *monitor) ([]workday.JobOutcome, error) {
	y := &dayPlay{cluster: slurm, day: s.dayJobs, speed: s.pace.speed}
	y.look = func(ctx context.Context, p *progress) error {
		if w != nil {
			s.screen.setStatus("  with fairbridge " + p.String())
			return w.update(ctx, p)
		}
		return nil
	}
	if err := y.run(ctx); err != nil {
		return nil, err
	}
	runs, err := s.measureDay(ctx, slurm, f)
	if err != nil {
		return nil, err
	}
	(*f).LatestSubmissionSeconds = y.latest.Seconds()
	return workday.OutcomesFromRecords(runs), nil
}

// accountingDelay is how long Slurm's accounting may need to hear of the last job.
const accountingDelay = 3 * time.Minute

// measureDay takes Slurm's records, which come a little after the day's end.
func (s *demonstration) measureDay(ctx context.Context, slurm cluster, f **workday.Figures) ([]workday.RunRecord, error) {
	s.screen.setStatus("  waiting for Slurm's accounting …")
	defer s.screen.setStatus("")
	for begin := slurm.Now(); ; {
		runs, err := slurm.Records(ctx)
		if err != nil {
			return nil, err
		}
		*f, err = workday.MeasureFigures(s.dayJobs, runs, workday.TotalGPUs, workday.WeightsByAccount)
		if err == nil || slurm.Now().Sub(begin) > accountingDelay {
			return runs, err
		}
		if err := slurm.Wait(ctx, time.Second); err != nil {
			return nil, err
		}
	}
}

// countChanges counts what was changed in Slurm, and says so.
func (s *demonstration) countChanges(ctx context.Context, c *Comparison, n *decisionLog) (err error) {
	if c.ChangesByKind, err = n.countEffects(ctx); err != nil {
		return err
	}
	for _, k := range editKinds {
		if c.ChangesByKind[k] == 0 {
			s.screen.printf("  %-8s none was needed on this day", k)
		}
	}
	s.screen.printf("  Altogether %s.", changeCountsText(c.ChangesByKind))
	return nil
}

func changeCountsText(changes map[string]int) string {
	var parts []string
	for _, k := range editKinds {
		parts = append(parts, fmt.Sprintf("%s %s", k, policy.FormatCount(changes[k], "time")))
	}
	return strings.Join(parts, ", ")
}

// startProbes starts the probes; without them the day goes on unmeasured.
func (s *demonstration) startProbes() (*probes, string) {
	p, err := startProbes(s.NodeprobePath, s.dir, workday.NewDay(s.Seed, maxSpeed))
	if err != nil {
		s.screen.printf("No GPU is measured: %v", err)
		return nil, ""
	}
	s.addCleanup(p.stop)
	return p, p.urlPattern()
}

// startRealClusters starts two, at the same time.
func (s *demonstration) startRealClusters(ctx context.Context) (both [2]*realCluster, err error) {
	s.screen.setStatus("Starting two Slurms …")
	group, ctx := errgroup.WithContext(ctx)
	for i, name := range []string{"alone", "beside"} {
		group.Go(func() (err error) {
			both[i], err = startRealCluster(ctx, filepath.Join(s.dir, name))
			return err
		})
	}
	err = group.Wait()
	for _, c := range both {
		if c != nil {
			s.addCleanup(c.Close)
		}
	}
	return both, err
}

// Comparison is what a demonstration found.
type Comparison struct {
	SlurmTitle        string           `json:"slurm"`
	Seed              uint64           `json:"seed"`
	Policy            string           `json:"policy"`
	AloneFigures      *workday.Figures `json:"slurm_alone"`
	FairbridgeFigures *workday.Figures `json:"with_fairbridge"`
	ChangesByKind     map[string]int   `json:"changes"`           // made in Slurm, by kind
	Machine           *MachineReport   `json:"machine,omitempty"` // absent in virtual time, which waits for every machine
}

// figureDefinitions say how the figures of the table are worked out.
const figureDefinitions = `Wait: from submission to start, plus the waits after requeues; the first waits that replay prints below end
at the first start. Finish-time fairness: from submission to end, divided by what it would take had each
account its entitled part of the GPUs to itself, first come, first served (a job wider than that part takes
all of it and runs slower in proportion); above 1, sharing cost the job time. GPU share: of all GPUs while
any job waited, against the account's entitlement then (by shares; what one account does not ask for goes
to the others).
`

// formatSeconds prints seconds, long times in minutes.
func formatSeconds(v float64) string {
	if v >= 600 {
		return fmt.Sprintf("%.0f min", v/60)
	}
	return fmt.Sprintf("%.0f s", v)
}

func formatFactor(v float64) string { return fmt.Sprintf("%.2f", v) }

func formatPercent(v float64) string { return fmt.Sprintf("%.0f %%", 100*v) }

// printTable prints the figures before and after, and how they are defined.
func printTable(w io.Writer, c *Comparison) {
	t := table.NewWriter()
	t.SetOutputMirror(w)
	style := table.StyleLight
	style.Format.Header = text.FormatDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Options.SeparateHeader = true
	t.SetStyle(style)
	t.SetColumnConfigs([]table.ColumnConfig{{Number: 2, Align: text.AlignRight, AlignHeader: text.AlignRight}, {Number: 3, Align: text.AlignRight, AlignHeader: text.AlignRight}})
	t.AppendHeader(table.Row{fmt.Sprintf("%d jobs, %d GPUs", c.AloneFigures.JobCount, workday.TotalGPUs), "Slurm alone", "with fairbridge"})
	row := func(name string, show func(float64) string, a, b float64) {
		t.AppendRow(table.Row{name, show(a), show(b)})
	}
	a, b := c.AloneFigures, c.FairbridgeFigures
	row("wait, median", formatSeconds, a.WaitMedian, b.WaitMedian)
	row("wait, 95th percentile", formatSeconds, a.WaitP95, b.WaitP95)
	row("submission to end, median", formatSeconds, a.TurnaroundMedian, b.TurnaroundMedian)
	row("submission to end, mean", formatSeconds, a.TurnaroundMean, b.TurnaroundMean)
	row("finish-time fairness, median", formatFactor, a.FairnessMedian, b.FairnessMedian)
	row("finish-time fairness, worst", formatFactor, a.FairnessWorst, b.FairnessWorst)
	row("jobs that sharing cost time", formatPercent, a.UnfairFraction, b.UnfairFraction)
	for i := range a.AccountShares {
		t.AppendRow(table.Row{"GPU share of " + a.AccountShares[i].Account, shareText(a.AccountShares[i]), shareText(b.AccountShares[i])})
	}
	t.AppendRow(table.Row{"requeues", a.RequeueCount, b.RequeueCount})
	row("GPUs idle", formatPercent, a.IdleFraction, b.IdleFraction)
	row("GPUs idle while jobs wait", formatPercent, a.ContendedIdleFraction, b.ContendedIdleFraction)
	row("first submission to last end", formatSeconds, a.MakespanSeconds, b.MakespanSeconds)
	t.Render()
	if n := max(a.ExcessGPUs, b.ExcessGPUs); n > 0 {
		printable.Fprintf(w, "\nSlurm's records contradict themselves: at some moment %s more than there are were held, so idle reads too low.\nSlurm 22.05 writes the runs of a job that was requeued after its node list was changed while it ran into one, with the wait between them.\n", policy.FormatCount(n, "GPU"))
	}
	printable.Fprintlines(w, "\n"+figureDefinitions)
}

func shareText(s workday.AccountShare) string {
	return fmt.Sprintf("%s of %s", formatPercent(s.Held), formatPercent(s.Entitled))
}
