package answers

import (
	"context"
	"fmt"
	"sync"
	"time"

	"fairbridge/accounting/predictions"
	"fairbridge/api/answers/lastcycle"
	"fairbridge/bridge"
	"fairbridge/bridge/estimate"
	"fairbridge/bridge/whatif"
)

// learntFreshFor is how long what was learnt of run times and of earlier estimates is not read again: both
// change in hours.
const learntFreshFor = 10 * time.Minute

// learnt is what was learnt that estimates of a partition rest on.
type learnt struct {
	calibration *estimate.Calibration
	model       predictions.NewestModel
}

// learntByPartition holds what was learnt.
type learntByPartition struct {
	mu   sync.Mutex
	kept map[string]*keptValue[learnt]
}

// of returns what keeps what was learnt of a partition.
func (l *learntByPartition) of(s *Service, partition string) *keptValue[learnt] {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.kept == nil {
		l.kept = map[string]*keptValue[learnt]{}
	}
	if l.kept[partition] == nil {
		l.kept[partition] = newKept(learntFreshFor, s.parts.Now, func(ctx context.Context) (known learnt, err error) {
			db := s.parts.Record
			if known.calibration, err = db.ReadCalibration(ctx, s.Cluster, partition, s.parts.Now()); err != nil {
				return known, err
			}
			if known.model, err = db.ReadNewestModel(ctx, db.DB, s.Cluster); err != nil {
				return known, fmt.Errorf("reading what was learnt of run times: %w", err)
			}
			return known, nil
		})
	}
	return l.kept[partition]
}

// newSubmission returns what a job would meet in a cycle, with what is learnt of run times and of earlier
// estimates. While the database is away that is what was read last.
func (w whenRequest) newSubmission(ctx context.Context, p *bridge.Partition, c *lastcycle.Cycle) (*whatif.Submission, error) {
	known, err := w.learnt.of(w.Service, c.Partition).Get(ctx)
	if err != nil && (known.calibration == nil || !isUnavailable(err)) {
		return nil, err
	}
	return &whatif.Submission{Snapshot: c.Snapshot, Policy: p.PolicyOf(c.Policy, c.Params), Calibration: known.calibration, PredictTimeLeft: known.model.PredictTimeLeft}, nil
}

// A line of thousands is laid out fewer times than others, and in longer steps, since who asks waits for the
// answer: BenchmarkTogether of package whatif says what that costs.
const longLine = 5000

var longLineEffort = whatif.Effort{DrawCount: 6, StepShare: .05}

// offerEffort is that for what is offered to a job of such a line, beside all else that its story tells.
var offerEffort = whatif.Effort{DrawCount: 5, StepShare: .12}

// effortFor says how exactly the time to come is laid out for so many jobs, or for what is offered to one of them.
func effortFor(jobs int, isOffer bool) whatif.Effort {
	switch {
	case jobs > longLine && isOffer:
		return offerEffort
	case jobs > longLine:
		return longLineEffort
	}
	return whatif.Effort{}
}
