package ask

import (
	"context"
	"fmt"
	"io"
	"time"

	"fairbridge/api"
	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
	"fairbridge/cmd/internal/source"
)

// watchQueue prints the queue again and again until it is interrupted, which is no error. On a
// terminal each time is drawn over the one before, elsewhere each is a block under its time, as
// squeue --iterate prints. Where fairbridge cannot be reached for a while it says so and goes on.
func watchQueue(ctx context.Context, out io.Writer, s source.Source, f *queueFlags, q api.QueueQuery, hasColours bool) error {
	screen := output.NewScreen(out)
	w := out
	if screen != nil {
		w = printable.NewWriter(screen)
	}
	for tries := 0; ; tries++ {
		now := time.Now()
		a, err := readQueue(ctx, s, q, f)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil && (tries == 0 || !cli.IsUnreachableError(source.NewCommandError(s, err))) {
			return err
		}
		printable.Fprintf(w, "%s, every %s\n", now.Format(time.DateTime), f.interval)
		if err != nil {
			output.WriteParagraph(w, "", fmt.Sprintf("Not answered now: %v", err))
		} else {
			printQueue(w, a, &q, f, hasColours, now)
		}
		if screen != nil {
			screen.Draw()
		} else {
			printable.Fprintf(w, "\n")
		}
		if !waitFor(ctx, f.interval) {
			return nil
		}
	}
}

// waitFor reports whether the time passed before the context ended.
func waitFor(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
