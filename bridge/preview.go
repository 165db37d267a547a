package bridge

import (
	"context"
	"fmt"
	"time"

	"fairbridge/bridge/ledger"
)

// Preview thinks one cycle through without leading, recording or pushing
// anything.
func (l *Loop) Preview(ctx context.Context) (*Facts, []Thought, error) {
	f := &Facts{Memos: map[string]Memo{}}
	var err error
	if f.View, err = l.observe(ctx); err != nil {
		return nil, nil, err
	}
	if err := l.recall(ctx, f); err != nil {
		return nil, nil, err
	}
	v := f.View
	intents, err := l.Journal.Intents(ctx, v.Cluster, v.At, v.At.Add(-recent))
	if err != nil {
		return nil, nil, fmt.Errorf("reading the ledger: %w", err)
	}
	f.Intents = ledger.Replace(intents, ledger.Settle(intents, v, v.At))
	f.Busy, _ = l.Probes.Sample(ctx, f.View) // measurements are optional
	l.seat.until = l.Now().Add(time.Hour)    // as if we led
	return f, l.think(ctx, f, true), nil
}
