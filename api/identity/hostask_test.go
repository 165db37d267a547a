package identity

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// hangingHost is a host whose directory service hangs until a command's time is over.
type hangingHost struct{ runs, now, most atomic.Int64 }

func (h *hangingHost) run(ctx context.Context, _ string, _ ...string) (string, error) {
	h.runs.Add(1)
	if n := h.now.Add(1); n > h.most.Load() {
		h.most.Store(n)
	}
	defer h.now.Add(-1)
	select {
	case <-time.After(hostTimeout):
		return "", errors.New("it took too long")
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// TestAHostThatHangs: many who ask at once run few commands, the same one once, and none for a while after.
func TestAHostThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var host hangingHost
		users := newHostUsers(time.Now)
		users.run = host.run
		askAll := func(names int) {
			var all sync.WaitGroup
			for n := range 100 {
				all.Go(func() {
					if err := users.check(t.Context(), fmt.Sprint("user", n%names)); err == nil {
						t.Error("it answers")
					}
				})
			}
			all.Wait()
		}
		askAll(1)
		if n := host.runs.Load(); n != 1 {
			t.Errorf("the same was asked %d times", n)
		}
		askAll(1)
		if n := host.runs.Load(); n != 1 {
			t.Errorf("right after a failure it was asked again: %d", n)
		}
		time.Sleep(failureLife)
		askAll(20)
		if n, most := host.runs.Load(), host.most.Load(); n != 21 || most != maxAsked {
			t.Errorf("asked %d times, %d at once", n, most)
		}
	})
}

// TestWhoGoesAway: who waits can go, and one who asked and went leaves no failure to others.
func TestWhoGoesAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var host hangingHost
		users := newHostUsers(time.Now)
		users.run = host.run
		short, end := context.WithTimeout(t.Context(), time.Second)
		defer end()
		began := time.Now()
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				if users.check(short, "alice") == nil || time.Since(began) != time.Second {
					t.Errorf("it waited %v", time.Since(began))
				}
			})
		}
		both.Wait()
		users.run = fakeHost
		if err := users.check(t.Context(), "alice"); err != nil {
			t.Errorf("it is remembered for others: %v", err)
		}
	})
}
