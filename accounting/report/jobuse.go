package report

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting"
	"fairbridge/accounting/internal/value"
	"fairbridge/accounting/journal"
	"fairbridge/policy"
	"fairbridge/sql"
)

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
