package main

import (
	"context"
	"log/slog"
	"time"
)

// sumEvery is how far reports may be behind the record.
const sumEvery = 5 * time.Minute

// sumUp keeps what reports read in step with the record.
func (s *stack) sumUp(ctx context.Context, log *slog.Logger) {
	for tick := time.NewTicker(sumEvery); ; {
		select {
		case <-ctx.Done():
			tick.Stop()
			return
		case <-tick.C:
		}
		if _, err := s.db.SumUp(ctx, s.file.Cluster); err != nil && ctx.Err() == nil {
			log.Warn("reports are behind: the record was not summed up", "error", err)
		}
	}
}
