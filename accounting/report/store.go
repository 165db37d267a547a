// Package report answers the questions of managers and users from the views of
// schema fairbridge_v1: rows in, figures out. The queries are the files of
// sql/reports; anybody may run them with psql.
package report

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"fairbridge/accounting"
	"fairbridge/accounting/capacity"
	"fairbridge/accounting/estimates"
	"fairbridge/accounting/internal/value"
	"fairbridge/accounting/journal"
	"fairbridge/policy"
	"fairbridge/sql"
)

// Store answers from a database.
type Store struct{ DB *accounting.DB }

// JobUse is what a job got and how it used it.
type JobUse struct {
	ID      policy.JobID  `json:"job"`
	Address string        `json:"address"` // the job as its owner knows it: 4711, 47_3
	Runs    []RunUse      `json:"runs"`    // oldest first; a requeue ends one and begins another
	GPUs    []GPUUseByRun `json:"gpus"`    // of the last run that started; nil when no readings are kept
	// Estimate is when it is thought to start and end while it waits for its first start; nil: nothing
	// is stored. It is the caller's to set.
	Estimate *estimates.StoredEstimate `json:"estimate,omitempty"`
}

// RunUse is one run of a job, or its wait for it.
type RunUse struct {
	Restarts         int                  `json:"restarts"`
	Submit           time.Time            `json:"submit"`
	Arrive           time.Time            `json:"arrive"` // first submission of the job
	Start            time.Time            `json:"start,omitzero"`
	End              time.Time            `json:"end,omitzero"`
	IsOver           bool                 `json:"over"`
	Name             string               `json:"name"`
	User             string               `json:"user"`
	Account          string               `json:"account"`
	Partition        string               `json:"partition"`
	State            string               `json:"state"`
	GPUCount         int                  `json:"gpus"`            // it held or asks for
	TimeLimit        Seconds              `json:"limit_seconds"`   // 0: none
	Elapsed          Seconds              `json:"elapsed_seconds"` // 0: never started
	GPUTime          Seconds              `json:"gpu_seconds"`     // of whole GPUs
	MeasuredGPUTime  Seconds              `json:"measured_gpu_seconds"`
	BusyGPUTime      Seconds              `json:"busy_gpu_seconds"`                 // measured times utilisation
	IdleGPUTime      Seconds              `json:"idle_gpu_seconds"`                 // a process, less than 1 % busy
	NoProcessGPUTime Seconds              `json:"held_without_process_gpu_seconds"` // no process at all
	MemoryShare      policy.OptionalValue `json:"memory_share"`
	StoppedBy        string               `json:"stopped_by,omitempty"` // who took its GPUs: fairbridge, slurm, node, other
	DemandPerGPU     float64              `json:"contention,omitempty"` // mean demand for GPUs per GPU while it was there; 0: unknown
	Nodes            string               `json:"nodes,omitempty"`
}

// Seconds is a time, or GPU time.
type Seconds float64

// String prints them as people say them.
func (s Seconds) String() string { return formatSeconds(float64(s)) }

// GPUUseByRun is what one GPU showed while the job had it.
type GPUUseByRun struct {
	Node             string               `json:"node"`
	UUID             string               `json:"uuid"`
	Type             string               `json:"type"`
	SampleCount      int                  `json:"samples"`
	Busy             policy.OptionalValue `json:"busy"`
	MaxBusy          policy.OptionalValue `json:"busy_most"`
	MemoryShare      policy.OptionalValue `json:"memory"`
	MaxMemoryShare   policy.OptionalValue `json:"memory_most"`
	FirstBusy        time.Time            `json:"first_busy,omitzero"` // zero: never as much as 1 %
	LastBusy         time.Time            `json:"last_busy,omitzero"`
	FirstReading     time.Time            `json:"first"` // reading
	LastReading      time.Time            `json:"last"`
	NoProcessSamples int                  `json:"samples_without_process"`
	ThrottledSamples int                  `json:"samples_throttled"`
	MaxSharingJobs   int                  `json:"jobs_sharing"` // most at once
}

// isUnused reports whether the GPU was never as much as 1 % busy, as far as a few
// readings can tell. One that other jobs share says nothing of this one.
func (g *GPUUseByRun) isUnused() bool {
	return g.SampleCount >= 3 && g.MaxSharingJobs <= 1 && g.MaxBusy.Known && g.MaxBusy.Value < 0.01
}

// LastStartedRun is the last run that started, nil when none did.
func (j *JobUse) LastStartedRun() *RunUse {
	for i := len(j.Runs) - 1; i >= 0; i-- {
		if !j.Runs[i].Start.IsZero() {
			return &j.Runs[i]
		}
	}
	return nil
}

// WaitTime is the time from the first submission to the first start; ok is false
// when none started.
func (j *JobUse) WaitTime() (wait time.Duration, ok bool) {
	for i := range j.Runs {
		if r := &j.Runs[i]; !r.Start.IsZero() {
			return max(r.Start.Sub(r.Arrive), 0), true
		}
	}
	return 0, false
}

// MarshalJSON adds the notes.
func (j *JobUse) MarshalJSON() ([]byte, error) {
	type plain JobUse
	return json.Marshal(struct {
		*plain
		Notes []string `json:"notes"`
	}{(*plain)(j), j.Notes()})
}

var (
	qSumsLock, qSumsUnlock = sql.QueryText("sums_lock"), sql.QueryText("sums_unlock")
	qSumsView, qSumsDue    = sql.QueryText("sums_view"), sql.QueryText("sums_due")
	qSumsDay, qSumsDone    = sql.QueryText("sums_day"), sql.QueryText("sums_done")
	qSumsState             = sql.QueryText("sums_state")
)

// SumState says how far the record is in the sums that reports read. The zero value: nothing is summed up.
type SumState struct {
	AsOf       time.Time // the record up to this moment is, but for the days behind
	DaysBehind int       // days that changed since
}

// ReadSumState reads how far the record of a cluster was summed up.
func (s *Store) ReadSumState(ctx context.Context, cluster string) (SumState, error) {
	var asOf *time.Time
	var state SumState
	err := s.DB.QueryRow(ctx, qSumsState, cluster).Scan(&asOf, &state.DaysBehind)
	if asOf != nil {
		state.AsOf = *asOf
	}
	if errors.Is(err, pgx.ErrNoRows) {
		return SumState{}, nil // nothing was ever recorded
	}
	return state, accounting.WrapError("reading how far the record was summed up", err)
}

// SumDueDays brings what reports read up to the record: every day whose record
// changed since the last time, late data included, is made anew, each in a
// transaction of its own. It returns how many days that were. While another
// does it, it does nothing.
func (s *Store) SumDueDays(ctx context.Context, cluster string) (days int, err error) {
	conn, err := s.DB.Acquire(ctx)
	if err != nil {
		return 0, accounting.WrapError("summing up", err)
	}
	defer conn.Release()
	var mine bool
	if err := conn.QueryRow(ctx, qSumsLock, cluster).Scan(&mine); err != nil || !mine {
		return 0, accounting.WrapError("summing up", err)
	}
	defer func() {
		_, e := conn.Exec(context.WithoutCancel(ctx), qSumsUnlock, cluster)
		err = errors.Join(err, accounting.WrapError("ending the summing up", e))
	}()
	if err := capacity.SumCapacityOfDueHours(ctx, conn, cluster); err != nil {
		return 0, accounting.WrapError("reading old snapshots", err)
	}
	return sumDueDays(ctx, conn, cluster)
}

func sumDueDays(ctx context.Context, conn *pgxpool.Conn, cluster string) (int, error) {
	var seen time.Time
	err := conn.QueryRow(ctx, qSumsView, cluster).Scan(&seen)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, nil // nothing was ever recorded
	}
	if err != nil {
		return 0, accounting.WrapError("summing up", err)
	}
	due, err := accounting.CollectRows(ctx, conn, pgx.RowTo[time.Time], qSumsDue, cluster)
	if err != nil {
		return 0, accounting.WrapError("summing up", err)
	}
	for i, day := range due {
		if err := accounting.RunLongSnapshotTx(ctx, conn, func(tx pgx.Tx) error {
			_, err := tx.Exec(ctx, qSumsDay, cluster, day)
			return err
		}); err != nil {
			return i, accounting.WrapError(fmt.Sprintf("summing up %s", day.Format(time.DateOnly)), err)
		}
	}
	_, err = conn.Exec(ctx, qSumsDone, cluster, seen)
	return len(due), accounting.WrapError("summing up", err)
}

var qJobUse, qJobGPUs = sql.QueryText("job_use"), sql.QueryText("job_gpus")

// Job tells what a job got and how it used it, as of the last poll. A job
// that no view ever showed is journal.ErrUnknownJob.
func (s *Store) Job(ctx context.Context, cluster string, job policy.JobID) (*JobUse, error) {
	j := &JobUse{ID: job}
	err := s.DB.RunReadTx(ctx, fmt.Sprintf("reading how job %d used its GPUs", job), func(tx pgx.Tx) error {
		var err error
		if j.Runs, err = accounting.CollectRows(ctx, tx, scanJobRun, qJobUse, cluster, job); err != nil {
			return err
		}
		if len(j.Runs) == 0 {
			return journal.ErrUnknownJob
		}
		r := j.LastStartedRun()
		if r == nil {
			return nil
		}
		end := r.End
		if end.IsZero() {
			end = r.Start.Add(time.Duration(float64(r.Elapsed)*float64(time.Second)) + time.Hour) // readings are ahead of polls
		}
		j.GPUs, err = accounting.CollectRows(ctx, tx, scanGPU, qJobGPUs, cluster, job, r.Start, end)
		return err
	})
	if err != nil {
		return nil, err
	}
	return j, nil
}

func scanJobRun(row pgx.CollectableRow) (r RunUse, err error) {
	var start, end *time.Time
	var mem *float64
	err = row.Scan(&r.Restarts, &r.Submit, &r.Arrive, &start, &end, &r.IsOver, &r.Name, &r.User, &r.Account, &r.Partition, &r.State, &r.GPUCount,
		&r.TimeLimit, &r.Elapsed, &r.GPUTime, &r.MeasuredGPUTime, &r.BusyGPUTime, &r.IdleGPUTime, &r.NoProcessGPUTime, &mem, &r.StoppedBy, &r.DemandPerGPU, &r.Nodes)
	r.Submit, r.Arrive, r.Start, r.End = r.Submit.UTC(), r.Arrive.UTC(), value.TimeOrZero(start), value.TimeOrZero(end)
	r.MemoryShare = measureFromNullable(mem)
	return r, err
}

func scanGPU(row pgx.CollectableRow) (g GPUUseByRun, err error) {
	var busy, most, mem, memMost *float64
	var first, last *time.Time
	err = row.Scan(&g.Node, &g.UUID, &g.Type, &g.SampleCount, &busy, &most, &mem, &memMost, &first, &last, &g.FirstReading, &g.LastReading, &g.NoProcessSamples, &g.ThrottledSamples, &g.MaxSharingJobs)
	g.Busy, g.MaxBusy, g.MemoryShare, g.MaxMemoryShare = measureFromNullable(busy), measureFromNullable(most), measureFromNullable(mem), measureFromNullable(memMost)
	g.FirstBusy, g.LastBusy, g.FirstReading, g.LastReading = value.TimeOrZero(first), value.TimeOrZero(last), g.FirstReading.UTC(), g.LastReading.UTC()
	return g, err
}

func measureFromNullable(v *float64) policy.OptionalValue {
	if v == nil {
		return policy.OptionalValue{}
	}
	return policy.KnownValue(*v)
}
