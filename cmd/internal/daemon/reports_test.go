package daemon

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	"fairbridge/bridge"
)

// storedSpeeds counts what is stored, or fails.
type storedSpeeds struct {
	lists int
	err   error
}

func (s *storedSpeeds) RecordSpeeds(context.Context, string, []bridge.SpeedReport) error {
	s.lists++
	return s.err
}

// TestReportKeeper: reports are stored in their order, the cycle never waits for that, and a failure
// is logged once.
func TestReportKeeper(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		store := &storedSpeeds{err: errors.New("it is away")}
		k := newReportKeeper("speeds", store.RecordSpeeds, "lab", slog.New(slog.NewTextHandler(&log, nil)))
		for range maxWaitingReports + 5 {
			k.take([]bridge.SpeedReport{{Job: 7}})
		}
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- k.run(ctx) }()
		synctest.Wait()
		if n := strings.Count(log.String(), "it is away"); n != 1 || store.lists != maxWaitingReports {
			t.Errorf("%d lists, and %d times logged: %s", store.lists, n, log.String())
		}
		store.err = nil
		k.take(nil)
		synctest.Wait()
		store.err = errors.New("it is away")
		k.take(nil)
		synctest.Wait()
		if n := strings.Count(log.String(), "it is away"); n != 2 {
			t.Errorf("logged %d times: %s", n, log.String())
		}
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}
