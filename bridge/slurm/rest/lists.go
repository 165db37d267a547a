package rest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/decode"
)

// newDecoder returns a decoder of lists, bounded like everything that this connection
// reads.
func (s *session) newDecoder() *decode.Decoder {
	return &decode.Decoder{Limits: decode.Limits{ReplyBytes: s.conn.MaxBytes()}}
}

// readList reads the records of one path.
func readList[T any](ctx context.Context, s *session, path string, read func(io.Reader, []T) ([]T, slurm.ReplyMeta, error)) ([]T, slurm.ReplyMeta, error) {
	var out []T
	meta, err := s.get(ctx, path, func(r io.Reader) (m slurm.ReplyMeta, err error) {
		out, m, err = read(r, nil)
		return m, err
	})
	return out, meta, err
}

// readDiag reads slurmctld's clock and counters.
func (s *session) readDiag(ctx context.Context) (d slurm.Diag, meta slurm.ReplyMeta, err error) {
	meta, err = s.get(ctx, "diag", func(r io.Reader) (m slurm.ReplyMeta, err error) {
		d, m, err = new(decode.Decoder).Diag(r)
		return m, err
	})
	return d, meta, err
}

func (s *session) readNodes(ctx context.Context) ([]slurm.Node, slurm.ReplyMeta, error) {
	return readList(ctx, s, "nodes", s.newDecoder().Nodes)
}

func (s *session) readNode(ctx context.Context, name string) ([]slurm.Node, slurm.ReplyMeta, error) {
	return readList(ctx, s, "node/"+url.PathEscape(name), new(decode.Decoder).Nodes)
}

func (s *session) readPartitions(ctx context.Context) ([]slurm.Partition, slurm.ReplyMeta, error) {
	return readList(ctx, s, "partitions", s.newDecoder().Partitions)
}

func (s *session) readReservations(ctx context.Context) ([]slurm.Reservation, slurm.ReplyMeta, error) {
	return readList(ctx, s, "reservations", s.newDecoder().Reservations)
}

// readJobStates reads the cheap list: no job, only how each stands.
func (s *session) readJobStates(ctx context.Context) ([]slurm.TaskState, slurm.ReplyMeta, error) {
	return readList(ctx, s, "jobs/state/", s.newDecoder().TaskStates)
}

// readJobs reads the whole list of about so many jobs.
func (s *session) readJobs(ctx context.Context, about int) ([]slurm.Job, slurm.ReplyMeta, error) {
	dec := s.newDecoder()
	return readList(ctx, s, "jobs", func(r io.Reader, _ []slurm.Job) ([]slurm.Job, slurm.ReplyMeta, error) {
		return dec.Jobs(r, make([]slurm.Job, 0, about+about/16))
	})
}

// readRecordsOfJob reads the records Slurm answers with for one id: of an array's id, those of
// all its tasks.
func (s *session) readRecordsOfJob(ctx context.Context, id int64) ([]slurm.Job, error) {
	jobs, _, err := readList(ctx, s, jobPath(s.API(), id), new(decode.Decoder).Jobs)
	return jobs, err
}

// jobPath is the path of one job. In a federation its siblings are not asked, where that can
// be said: they take no token from a thread of slurmrestd, and the answer would be an error.
// Flags that are given take the place of slurmrestd's own, so those are given too: without DETAIL
// the answer has none of the job's devices, without ALL no job of a hidden partition.
func jobPath(api API, id int64) string {
	path := fmt.Sprintf("job/%d", id)
	if api.ReadsJobLocally {
		path += "?flags=ALL&flags=DETAIL&flags=LOCAL"
	}
	return path
}

// readJobsByID reads single jobs. One that Slurm says it does not know is left out: that
// is the proof of its absence.
func (s *session) readJobsByID(ctx context.Context, ids []int64) (map[int64]*slurm.Job, error) {
	found := make(map[int64]*slurm.Job, len(ids))
	for _, id := range ids {
		if _, have := found[id]; have {
			continue // came with its array
		}
		jobs, err := s.readRecordsOfJob(ctx, id)
		var e *slurm.Error
		if errors.As(err, &e) && e.Class == slurm.ErrorJobGone {
			continue
		}
		if err != nil {
			return nil, err
		}
		for i := range jobs {
			found[jobs[i].ID] = &jobs[i]
		}
	}
	return found, nil
}

// maxPartitionsAge is how long the last list of partitions serves while they
// cannot be read. From 23.11 on slurmrestd asks slurmdbd for the names of
// resources to write that list, and for no other: slurmdbd may be restarted
// without us falling silent.
const maxPartitionsAge = 15 * time.Minute

// lastPartitions is the last list of partitions that was read.
type lastPartitions struct {
	partitions []slurm.Partition
	readAt     time.Time // our clock
}

// ReadPartitions returns the partitions alone, at the cost of one small request.
func (c *Client) ReadPartitions(ctx context.Context) ([]slurm.Partition, error) {
	list, _, err := c.readPartitions(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading partitions: %w", err)
	}
	return list, nil
}

// readOrUseLast puts the partitions into the view. A list that Slurm is not able to
// give now is replaced by the last one, for a while.
func (p *lastPartitions) readOrUseLast(ctx context.Context, s *session, v *slurm.View) error {
	list, meta, err := s.readPartitions(ctx)
	if err != nil {
		return p.useLastList(v, err)
	}
	v.Partitions = list
	v.Warnings = append(v.Warnings, meta.Warnings...)
	slices.SortFunc(v.Partitions, func(a, b slurm.Partition) int { return cmp.Compare(a.Name, b.Name) })
	p.partitions, p.readAt = slices.Clone(v.Partitions), v.ReadAt
	return nil
}

// useLastList puts the last list into the view, if it is not too old and the error says
// nothing about us or the version.
func (p *lastPartitions) useLastList(v *slurm.View, cause error) error {
	var e *slurm.Error
	passing := errors.As(cause, &e) && (e.Class == slurm.ErrorBusy || e.Class == slurm.ErrorUnreachable)
	age := v.ReadAt.Sub(p.readAt)
	if !passing || p.readAt.IsZero() || age < 0 || age > maxPartitionsAge {
		return cause
	}
	v.Partitions = slices.Clone(p.partitions)
	v.StalePartitionsReason = fmt.Sprintf("the partitions are those of %v ago, which serve for up to %v: %v; is slurmdbd down?", age.Round(time.Second), maxPartitionsAge, cause)
	return nil
}
