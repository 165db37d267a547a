package bridge

import (
	"context"
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
	if err := l.recall(ctx, f); err != nil {
		return nil, nil, err
	}
	if _, err := f.settle(ctx, l.Journal, f.View.Cluster); err != nil {
		return nil, nil, err
	}
	f.Expires = l.expires(ctx, &Report{})
	f.Busy, _ = l.Probes.Sample(ctx, f.View) // measurements are optional
	l.seat.until = l.Now().Add(time.Hour)    // as if we led
	return f, l.think(ctx, f, true), nil
}
