package answers

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"fairbridge/api"
)

// A user has one place in the line, whether it is waited for, computed or given up.
func TestAUserHasOnePlaceInTheLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		line := newTurn()
		done, err := line.Take(t.Context(), "ann")
		if err != nil {
			t.Fatal(err)
		}
		ctx, end := context.WithTimeout(t.Context(), time.Second)
		defer end()
		waited := make(chan error, 1)
		go func() {
			_, err := line.Take(ctx, "bob")
			waited <- err
		}()
		synctest.Wait()
		for _, user := range []string{"ann", "bob"} {
			if _, err := line.Take(t.Context(), user); api.CodeOf(err) != api.CodeTooMany {
				t.Errorf("a second of %s: %v", user, err)
			}
		}
		if err := <-waited; api.CodeOf(err) != api.CodeUnavailable {
			t.Errorf("who waits too long: %v", err)
		}
		done()
		if _, err := line.Take(ctx, "ann"); api.CodeOf(err) != api.CodeUnavailable {
			t.Errorf("of whom nobody waits any more: %v", err)
		}
		for _, user := range []string{"ann", "bob"} {
			done, err := line.Take(t.Context(), user)
			if err != nil {
				t.Fatalf("the next of %s: %v", user, err)
			}
			done()
		}
	})
}
