package bridge

import (
	"context"
	"fmt"
	"time"
)

// Preview thinks one cycle through without leading, recording or pushing
// anything.
func (l *Loop) Preview(ctx context.Context) (*Facts, []Thought, error) {
	f := &Facts{Memos: map[string]Memo{}}
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
	f.settle()
	f.Expires = l.expires(ctx, &Report{})
	f.Busy, _ = l.Probes.Sample(ctx, f.View) // measurements are optional
	l.seat.until = l.Now().Add(time.Hour)    // as if we led
	return f, l.think(ctx, f, true), nil
}
