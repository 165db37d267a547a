package answers

import (
	"context"
	"errors"
	"time"

	"fairbridge/accounting"
	"fairbridge/accounting/journal"
	"fairbridge/accounting/report"
	"fairbridge/api"
	"fairbridge/policy"
)

// JobUse tells how a job used what it got.
func (s *Service) JobUse(ctx context.Context, v api.Viewer, text string) (*report.JobUse, error) {
	w, id, o, err := s.openJob(ctx, &v, text)
	if err != nil {
		return nil, err
	}
	if !w.SeesUse(o.user, o.account) {
		return nil, forbidden("usage is private here: how others' jobs used their GPUs is not shown", "explain tells why the job waits, runs or was requeued")
	}
	j, err := s.readJobUse(ctx, id)
	if errors.Is(err, journal.ErrUnknownJob) {
		return nil, unknownJob(w, text)
	}
	if err != nil {
		return nil, toldError(&v, "reading how job "+text+" used its GPUs", err)
	}
	if !w.SeesPlace(o.user, o.account) {
		for i := range j.Runs {
			j.Runs[i].Nodes = ""
		}
		for i := range j.GPUs {
			j.GPUs[i].Node = ""
		}
	}
	return j, nil
}

func (s *Service) readJobUse(ctx context.Context, id policy.JobID) (*report.JobUse, error) {
	if err := s.sumFirst(ctx); err != nil {
		return nil, err
	}
	db := s.parts.Record
	j, err := db.Job(ctx, s.Cluster, id)
	if err != nil {
		return nil, err
	}
	if last := j.Runs[len(j.Runs)-1]; last.Start.IsZero() && !last.IsOver {
		if j.Estimate, err = db.LastEstimate(ctx, s.Cluster, id, last.Arrive); err != nil {
			return nil, err
		}
	}
	j.Address, err = db.JobAddress(ctx, s.Cluster, id)
	return j, err
}

// sumsFreshFor is how long what is summed up is believed to be up to date.
const sumsFreshFor = time.Minute

// sumFirst sums up what changed, where that is asked for.
func (s *Service) sumFirst(ctx context.Context) error {
	if !s.SumsFirst {
		return nil
	}
	_, err := s.sums.Get(ctx)
	return err
}

// sumUp sums up what changed, GPU readings first. A database that lets us only read is as fresh as the
// daemon keeps it.
func (s *Service) sumUp(ctx context.Context) (none struct{}, err error) {
	_, err = s.parts.Record.RollupDueHours(ctx, s.Cluster, s.parts.Now())
	if err == nil {
		_, err = s.parts.Record.SumDueDays(ctx, s.Cluster)
	}
	if errors.Is(err, accounting.ErrUserRefused) || errors.Is(err, accounting.ErrReadOnly) {
		err = nil
	}
	return none, err
}
