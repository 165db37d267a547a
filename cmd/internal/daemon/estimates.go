package daemon

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"fairbridge/accounting/estimates"
	"fairbridge/accounting/stores"
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

// estimateRecorder stores estimates, and what the deadlines are that they are told about.
type estimateRecorder struct {
	db        *stores.Stores
	cluster   string
	log       *slog.Logger
	keepers   map[string]*estimateKeeper // by partition
	lastError string                     // as logged
}

func newEstimateRecorder(db *stores.Stores, cluster string, log *slog.Logger) *estimateRecorder {
	return &estimateRecorder{db: db, cluster: cluster, log: log, keepers: map[string]*estimateKeeper{}}
}

// estimateKeeper keeps when jobs of one partition are thought to start.
type estimateKeeper struct {
	times         estimate.LookTimes
	calibration   *estimate.Calibration
	calibratedFor time.Time
	pausedUntil   time.Time
	deadlines     map[policy.JobID]time.Time // of the jobs that run, as stored
}

// pausePerEstimate is how long no estimates are made after some, in times of how long they took: on
// a large cluster they are to take no more than a twentieth of the time.
const pausePerEstimate = 20

// store stores when the waiting jobs of partitions that are ordered by us will start and
// end: at the first cycle that sees a job, and once an hour; of an array anew when tasks of it start. In other partitions the line is Slurm's own.
func (e *estimateRecorder) store(ctx context.Context, r *cycle.Report) {
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
		if err = e.estimatePartition(ctx, p); err == nil {
			err = e.noteDeadlines(ctx, p)
		}
	}
	if text := errorText(err); text != e.lastError {
		if e.lastError = text; err != nil {
			e.log.Warn("estimates of starts not stored", "error", err)
		}
	}
}

// estimatePartition stores the looks of a partition that are due. No cycle fails for want of an
// estimate: a panic is an error.
func (e *estimateRecorder) estimatePartition(ctx context.Context, p *cycle.PartitionResult) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("estimating partition %s: panic: %v", p.Partition.Name, v)
		}
	}()
	k := e.keeperOf(p)
	if p.Snapshot.Now.Before(k.pausedUntil) {
		return nil
	}
	due := k.times.TakeDue(p.Snapshot)
	if len(due) == 0 {
		return nil
	}
	if err := e.calibrate(ctx, k, p); err != nil {
		return err
	}
	from := time.Now()
	all := estimate.EstimateJobs(estimate.Input{Snapshot: p.Snapshot, Line: estimate.LineOfPlan(p.Plan), Sizes: estimate.SizesOfPlan(p.Snapshot, p.Plan), MaxWaiting: maxEstimatedJobs})
	k.pausedUntil = p.Snapshot.Now.Add(pausePerEstimate * time.Since(from))
	var looks []estimates.Look
	for _, raw := range all {
		if kind, isDue := due[raw.Job]; isDue {
			looks = append(looks, estimates.Look{
				Job: p.Snapshot.Job(raw.Job), Raw: raw, Estimate: k.calibration.Calibrate(p.Snapshot.Now, raw), IsRenewed: kind == estimate.RenewedLook,
			})
		}
	}
	return e.db.PutEstimates(ctx, e.cluster, p.Snapshot.Now, looks)
}

func (e *estimateRecorder) keeperOf(p *cycle.PartitionResult) *estimateKeeper {
	k := e.keepers[p.Partition.Name]
	if k == nil {
		k = &estimateKeeper{}
		e.keepers[p.Partition.Name] = k
	}
	return k
}

// noteDeadlines stores the deadlines of jobs that run, where they changed since the last cycle, or since this daemon began: no look is
// taken at them any more.
func (e *estimateRecorder) noteDeadlines(ctx context.Context, p *cycle.PartitionResult) error {
	k, now, changed := e.keeperOf(p), map[policy.JobID]time.Time{}, []*policy.Job(nil)
	for i := range p.Snapshot.Jobs {
		j := &p.Snapshot.Jobs[i]
		if !j.HoldsGPUs() {
			continue
		}
		was, ok := k.deadlines[j.ID]
		if now[j.ID] = j.Deadline; !ok || !was.Equal(j.Deadline) {
			changed = append(changed, j)
		}
	}
	if len(changed) > 0 {
		if err := e.db.NoteDeadlines(ctx, e.cluster, p.Snapshot.Now, changed); err != nil {
			return err
		}
	}
	k.deadlines = now
	return nil
}

// calibrate learns anew from what came of earlier estimates, once an hour.
func (e *estimateRecorder) calibrate(ctx context.Context, k *estimateKeeper, p *cycle.PartitionResult) error {
	now := p.Snapshot.Now
	if k.calibration != nil && now.Sub(k.calibratedFor) < calibrationInterval {
		return nil
	}
	c, err := e.db.ReadCalibration(ctx, e.cluster, p.Partition.Name, now)
	if err != nil {
		return err
	}
	k.calibration, k.calibratedFor = c, now
	return nil
}
