package cycle

import (
	"context"
	"fmt"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/push"
)

// Preview thinks one cycle through without leading, recording or pushing
// anything.
func (l *Loop) Preview(ctx context.Context) (*bridge.Facts, []Evaluation, error) {
	f := &facts{}
	var err error
	if f.View, err = l.observe(ctx); err != nil {
		return nil, nil, err
	}
	var r Report
	if !l.believe(ctx, f, &r) {
		return nil, nil, fmt.Errorf("%s: %w", r.Doubts[0].Cause, r.Doubts[0].Err)
	}
	if err := l.recall(ctx, f); err != nil {
		return nil, nil, err
	}
	f.Intents, _ = push.Reconcile(f.Intents, f.View)
	f.Book = ledger.NewBook(f.Intents)
	f.Expires = l.expires(ctx, &Report{})
	f.Busy, _ = l.Probes.Sample(ctx, f.View) // measurements are optional
	l.leader.Until = l.Now().Add(time.Hour)  // as if we led
	return &f.Facts, l.think(ctx, f, true), nil
}
