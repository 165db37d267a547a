package daemon

import (
	"context"
	"log/slog"
	"time"
)

// Reports wait for the database: so many lists of a kind at most, and each so long for it. More
// are dropped, since jobs report again.
const (
	maxWaitingReports = 64
	reportTimeout     = 10 * time.Second
)

// reportKeeper has what jobs report, of one kind, stored beside the cycles.
type reportKeeper[Report any] struct {
	kind    string // in the log
	record  func(ctx context.Context, cluster string, list []Report) error
	cluster string
	log     *slog.Logger
	waiting chan []Report
}

func newReportKeeper[Report any](kind string, record func(context.Context, string, []Report) error, cluster string, log *slog.Logger) *reportKeeper[Report] {
	return &reportKeeper[Report]{kind, record, cluster, log, make(chan []Report, maxWaitingReports)}
}

// take has reports stored soon, and never waits.
func (k *reportKeeper[Report]) take(list []Report) {
	select {
	case k.waiting <- list:
	default:
	}
}

// run stores what was taken until the context ends. Why that fails is logged once.
func (k *reportKeeper[Report]) run(ctx context.Context) error {
	lastError := ""
	for {
		select {
		case <-ctx.Done():
			return nil
		case list := <-k.waiting:
			err := k.keep(ctx, list)
			if err != "" && err != lastError && ctx.Err() == nil {
				k.log.Warn("reported "+k.kind+" not stored", "reports", len(list), "error", err)
			}
			lastError = err
		}
	}
}

func (k *reportKeeper[Report]) keep(ctx context.Context, list []Report) (failure string) {
	ctx, cancel := context.WithTimeout(ctx, reportTimeout)
	defer cancel()
	if err := k.record(ctx, k.cluster, list); err != nil {
		return err.Error()
	}
	return ""
}
