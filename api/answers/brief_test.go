package answers

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// A database that hangs counts as away, soon; one whose asker is gone, or that fails by itself, does not.
func TestADatabaseThatHangsIsAway(t *testing.T) {
	hang := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	synctest.Test(t, func(t *testing.T) {
		from := time.Now()
		if err := askBriefly(t.Context(), hang); !isUnavailable(err) || time.Since(from) > 3*time.Second {
			t.Errorf("%v after %v", err, time.Since(from))
		}
		gone, leave := context.WithTimeout(t.Context(), time.Second)
		defer leave()
		if err := askBriefly(gone, hang); isUnavailable(err) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("of one who is gone: %v", err)
		}
		wrong := errors.New("wrong")
		if err := askBriefly(t.Context(), func(context.Context) error { return wrong }); !errors.Is(err, wrong) {
			t.Errorf("%v", err)
		}
	})
}
