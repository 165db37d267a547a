package daemon

import (
	"context"
	"fmt"
	"time"

	"fairbridge/accounting/estimates"
	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
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
