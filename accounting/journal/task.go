package journal

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting"
	"fairbridge/policy"
	"fairbridge/sql"
)

var qTaskOfJob, qJobOfTask = sql.QueryText("task_of_job"), sql.QueryText("job_of_task")

// JobAddress returns a job as its owner knows it: 47_3 for a task of an array, else its id. A
// record of waiting tasks goes by its id too: which tasks it stands for is not recorded.
func (s *Store) JobAddress(ctx context.Context, cluster string, job policy.JobID) (string, error) {
	var array, task int64
	var isTask bool
	err := s.DB.QueryRow(ctx, qTaskOfJob, cluster, int64(job)).Scan(&array, &task, &isTask)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return "", accounting.WrapError(fmt.Sprintf("reading which task job %d is", job), err)
	}
	if isTask {
		return fmt.Sprintf("%d_%d", array, task), nil
	}
	return fmt.Sprint(int64(job)), nil
}

// FindTask returns the job that was last a task of an array; 0: none is recorded.
func (s *Store) FindTask(ctx context.Context, cluster string, array, task int64) (job int64, err error) {
	err = s.DB.QueryRow(ctx, qJobOfTask, cluster, array, task).Scan(&job)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, nil
	}
	return job, accounting.WrapError(fmt.Sprintf("looking up task %d of array %d", task, array), err)
}
