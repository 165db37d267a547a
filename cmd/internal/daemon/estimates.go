package daemon

import (
	"context"
	"fmt"
	"time"

	systemd "github.com/coreos/go-systemd/v22/daemon"

	"fairbridge/accounting/estimates"
	"fairbridge/accounting/localjournal"
	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/bridge/cycle/figures"
	"fairbridge/bridge/estimate"
	"fairbridge/policy"
)

const (
	// estimateTimeout is how long reading and storing estimates may take of the time between cycles.
	estimateTimeout = 5 * time.Second
	// maxEstimatedJobs is how many waiting jobs of a partition are estimated, from the head of the line:
	// a thousand take a quarter of a second.
	maxEstimatedJobs = 1000
	// calibrationInterval is how old a calibration may get.
	calibrationInterval = time.Hour
)

// estimateKeeper keeps when jobs of one partition are thought to start.
type estimateKeeper struct {
	times         estimate.LookTimes
	calibration   *estimate.Calibration
	calibratedFor time.Time
	pausedUntil   time.Time
	deadlines     deadlineKeeper
}

// pausePerEstimate is how long no estimates are made after some, in times of how long they took: on
// a large cluster they are to take no more than a twentieth of the time.
const pausePerEstimate = 20

// storeEstimates stores when the waiting jobs of partitions that are ordered by us will start and
// end: at the first cycle that sees a job, and once an hour; of an array anew when tasks of it start. In other partitions the line is Slurm's own.
func (d *daemon) storeEstimates(ctx context.Context, r *cycle.Report) {
	if r.Epoch == 0 || r.Result == cycle.ResultCutShort {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), estimateTimeout)
	defer cancel()
	var err error
	for i := range r.PartitionResults {
		p := &r.PartitionResults[i]
		if p.Plan == nil || !p.Partition.Mode.Allows(bridge.ModeRank) || err != nil {
			continue
		}
		err = d.estimatePartition(ctx, p)
	}
	if text := errorText(err); text != d.lastEstimateError {
		if d.lastEstimateError = text; err != nil {
			d.log.Warn("estimates of starts not stored", "error", err)
		}
	}
}

// estimatePartition stores the looks of a partition that are due. No cycle fails for want of an
// estimate: a panic is an error.
func (d *daemon) estimatePartition(ctx context.Context, p *cycle.PartitionResult) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("estimating partition %s: panic: %v", p.Partition.Name, v)
		}
	}()
	k := d.estimateKeepers[p.Partition.Name]
	if k == nil {
		k = &estimateKeeper{}
		d.estimateKeepers[p.Partition.Name] = k
	}
	if err := k.storeDeadlines(p.Snapshot, func(jobs []*policy.Job) error {
		return d.DB.NoteDeadlines(ctx, d.File.Cluster, p.Snapshot.Now, jobs)
	}); err != nil {
		return err
	}
	if p.Snapshot.Now.Before(k.pausedUntil) {
		return nil
	}
	due := k.times.TakeDue(p.Snapshot)
	if len(due) == 0 {
		return nil
	}
	if err := d.calibrate(ctx, k, p); err != nil {
		return err
	}
	from := time.Now()
	all := estimate.EstimateJobs(estimate.Input{Snapshot: p.Snapshot, Line: estimate.LineOfPlan(p.Plan), Sizes: estimate.SizesOfPlan(p.Snapshot, p.Plan), MaxWaiting: maxEstimatedJobs})
	k.pausedUntil = p.Snapshot.Now.Add(pausePerEstimate * time.Since(from))
	var looks []estimates.Look
	runTimes := estimate.NewRunTimes(p.Snapshot)
	for _, e := range all {
		if kind, isDue := due[e.Job]; isDue {
			looks = append(looks, newLook(k.calibration, p.Snapshot, e, kind, runTimes))
		}
	}
	return d.DB.PutEstimates(ctx, d.File.Cluster, p.Snapshot.Now, looks)
}

// newLook is a look at a job as it is stored, with what its owner is told of its deadline.
func newLook(c *estimate.Calibration, s *policy.Snapshot, e estimate.Estimate, kind estimate.DueLook, runTimes func(*policy.Job) estimate.RunTime) estimates.Look {
	l := estimates.Look{Job: s.Job(e.Job), Raw: e, Estimate: c.Calibrate(s.Now, e), IsRenewed: kind == estimate.RenewedLook}
	if by := l.Job.Deadline; !by.IsZero() {
		chances := c.Chances(s.Now, l.Estimate.End, runTimes(l.Job))
		l.Chance, l.UncorrectedChance = chances.By(by), chances.Uncorrected(by)
	}
	return l
}

// calibrate learns anew from what came of earlier estimates, once an hour.
func (d *daemon) calibrate(ctx context.Context, k *estimateKeeper, p *cycle.PartitionResult) error {
	now := p.Snapshot.Now
	if k.calibration != nil && now.Sub(k.calibratedFor) < calibrationInterval {
		return nil
	}
	c, err := d.DB.ReadCalibration(ctx, d.File.Cluster, p.Partition.Name, now)
	k.calibratedFor = now // one that fails is tried again in an hour, unless there is none yet
	if err != nil {
		return err
	}
	k.calibration = c
	return nil
}

// runCycles runs the loop, tells systemd of it, and gives leadership back at the
// end.
func (d *daemon) runCycles(ctx context.Context) error {
	f := d.File
	d.log.Info("fairbridge runs", "cluster", f.Cluster, "interval", f.Interval, "partitions", f.FormatModes(), "metrics", f.Listen)
	seen := figures.NewMetrics(d.Registry)
	d.Loop.OnCycleEnd = func(r *cycle.Report) {
		_, _ = systemd.SdNotify(false, systemd.SdNotifyWatchdog)
		d.recorded.noteCycle(r)
		d.noteDatabaseReached(r)
		d.recordDoubts(ctx, r)
		d.storeEstimates(ctx, r)
		seen.NoteCycle(r)
		d.reminders.NoteCycle(r)
		if d.answers != nil {
			d.answers.NoteCycle(r)
		}
	}
	_, _ = systemd.SdNotify(false, systemd.SdNotifyReady)
	err := d.Loop.Run(ctx)
	_, _ = systemd.SdNotify(false, systemd.SdNotifyStopping)
	d.log.Info("fairbridge ends; leases run out by themselves")
	return err
}

// runCycle runs one cycle and steps down.
func (d *daemon) runCycle(ctx context.Context) error {
	r := d.Loop.Step(ctx)
	d.recordDoubts(ctx, &r)
	d.storeEstimates(ctx, &r)
	if r.Result == cycle.ResultStandby {
		return fmt.Errorf("%s leads: nothing was done; stop it first, or look with fairbridge plan", r.LeaderName)
	}
	if r.Epoch != 0 {
		if err := d.DB.Resign(context.WithoutCancel(ctx), d.File.Cluster, d.Loop.DaemonName); err != nil {
			r.Doubts = append(r.Doubts, bridge.Doubt{Cause: bridge.CauseLeaderUnknown, Err: err})
		}
	}
	if len(r.Doubts) > 0 {
		return fmt.Errorf("%s: %w", r.Doubts[0].Cause, r.Doubts[0].Err)
	}
	return nil
}

// noteDatabaseReached lets fairbridge expire have the local journal while the database is
// out of reach.
func (d *daemon) noteDatabaseReached(r *cycle.Report) {
	tee, ok := d.Loop.Journal.(*localjournal.Tee)
	if !ok {
		return
	}
	if err := tee.NoteDatabaseReached(r.Epoch != 0 || r.Result == cycle.ResultStandby, time.Now(), d.Loop.MinLeaderlessTime()); err != nil {
		d.log.Warn("the local journal is not free for fairbridge expire", "error", err)
	}
}

// deadlineKeeper remembers which deadlines of running jobs the database has. The zero value remembers none, so that after
// a start all are told to it once.
type deadlineKeeper map[policy.JobID]time.Time

// storeDeadlines stores which running jobs of a partition have another deadline than before.
func (k *estimateKeeper) storeDeadlines(s *policy.Snapshot, store func([]*policy.Job) error) error {
	changed, next := k.deadlines.takeChanged(s)
	if len(changed) > 0 {
		if err := store(changed); err != nil {
			return err
		}
	}
	k.deadlines = next
	return nil
}

// takeChanged returns the running jobs whose deadline is not the remembered one, and what is to be remembered of all. Of a
// requeued job without one nothing is known: an owner's deadline before its last submission does not count.
func (k deadlineKeeper) takeChanged(s *policy.Snapshot) (changed []*policy.Job, next deadlineKeeper) {
	next = deadlineKeeper{}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if !j.HoldsGPUs() || j.Deadline.IsZero() && !j.Submit.Equal(j.Arrive) {
			continue
		}
		if known, ok := k[j.ID]; !ok || !known.Equal(j.Deadline) {
			changed = append(changed, j)
		}
		next[j.ID] = j.Deadline
	}
	return changed, next
}

// doubtRecordTimeout is how long recording what is in doubt may take of a cycle's time.
const doubtRecordTimeout = 5 * time.Second

// recordDoubts records what was in doubt in a cycle that led, so that explain, queue and plan
// can say it: a cycle that ends in doubt before its plan stores nothing else. Where nothing is
// in doubt, and nothing was, nothing is written.
func (d *daemon) recordDoubts(ctx context.Context, r *cycle.Report) {
	if r.Epoch == 0 || r.Result == cycle.ResultCutShort || len(r.Doubts) == 0 && d.areDoubtsClear {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), doubtRecordTimeout)
	defer cancel()
	err := d.DB.SetDoubts(ctx, d.File.Cluster, d.Loop.DaemonName, r.Doubts, time.Now())
	d.areDoubtsClear = err == nil && len(r.Doubts) == 0
	if text := errorText(err); text != d.lastDoubtError {
		if d.lastDoubtError = text; err != nil {
			d.log.Warn("explain, queue and plan do not show what is in doubt", "error", err)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
