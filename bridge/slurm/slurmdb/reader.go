package slurmdb

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/rest"
)

// Reader reads slurmdbd through slurmrestd.
type Reader struct {
	client  *rest.Client
	cluster string
}

// New returns a reader of the rows of one cluster.
func New(c *rest.Client, cluster string) *Reader { return &Reader{client: c, cluster: cluster} }

// minQueryWindow is the shortest time that is asked for in one piece.
const minQueryWindow = time.Minute

// Jobs returns every row, duplicates of a job id included, that was eligible
// before to and had not ended by from. What is too much for one answer is asked
// for in halves, in which case rows that belong to both come twice. bad names the records
// that make no sense. Errors are *slurm.Error.
func (r *Reader) Jobs(ctx context.Context, from, to time.Time) (jobs []Job, bad []error, err error) {
	jobs, bad, err = r.readJobsOnce(ctx, from, to)
	if err == nil || !isReplyTooLarge(err) || to.Sub(from) < 2*minQueryWindow {
		return jobs, bad, err
	}
	middle := from.Add(to.Sub(from) / 2).Truncate(time.Second)
	first, firstBad, err := r.Jobs(ctx, from, middle)
	if err != nil {
		return nil, nil, err
	}
	second, secondBad, err := r.Jobs(ctx, middle, to)
	return append(first, second...), append(firstBad, secondBad...), err
}

// isReplyTooLarge reports whether asking for less may help: not where a whole reply is no list of
// records.
func isReplyTooLarge(err error) bool {
	var e *slurm.Error
	var syntax *json.SyntaxError
	var shape *json.UnmarshalTypeError
	if errors.As(err, &syntax) || errors.As(err, &shape) || errors.Is(err, errNoList) {
		return false
	}
	return errors.As(err, &e) && (e.Class == slurm.ErrorGarbledReply && e.HTTPStatus == 200 || e.Class == slurm.ErrorBusy && e.HTTPStatus == 0)
}

// readJobsOnce asks once, for every row of a job id and with times as they are: from
// v0.0.40 on saying one of the flags takes back those that hold otherwise.
// Times are written in the one way that all versions read.
func (r *Reader) readJobsOnce(ctx context.Context, from, to time.Time) (jobs []Job, bad []error, err error) {
	query := url.Values{"start_time": {fmt.Sprintf("uts%d", from.Unix())}, "end_time": {fmt.Sprintf("uts%d", to.Unix())},
		"skip_steps": {"true"}, "cluster": {r.cluster}}
	if r.client.API().Version >= 40 {
		query["show_duplicates"], query["disable_truncate_usage_time"] = query["skip_steps"], query["skip_steps"]
	}
	err = r.get(ctx, "jobs?"+query.Encode(), func(in io.Reader) (slurm.ReplyMeta, error) {
		got, meta, err := readReply(in, "jobs")
		if err == nil && len(meta.Errors) == 0 {
			jobs, bad = r.jobsFromRecords(got.Jobs)
		}
		return meta, err
	})
	return jobs, bad, err
}

func (r *Reader) jobsFromRecords(list *recordList[jobRecord]) (jobs []Job, bad []error) {
	jobs, bad = make([]Job, 0, len(list.records)), list.bad
	for i := range list.records {
		if c := list.records[i].Cluster; c != "" && c != r.cluster {
			continue
		}
		j, err := list.records[i].toJob()
		if err != nil {
			bad = append(bad, err)
			continue
		}
		jobs = append(jobs, j)
	}
	return jobs, bad
}

// errnoNothingFound is the error of old versions for an empty list.
const errnoNothingFound = 9003

// get reads a path. That there is nothing is no error.
func (r *Reader) get(ctx context.Context, path string, read func(io.Reader) (slurm.ReplyMeta, error)) error {
	var e *slurm.Error
	_, err := r.client.Conn().Get(ctx, "/slurmdb/"+r.client.API().Name()+"/"+path, read)
	if errors.As(err, &e) && e.Number == errnoNothingFound {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading slurmdbd's records: %w", err)
	}
	return nil
}
