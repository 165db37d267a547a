package server

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"fairbridge/api"
)

// largeAnswers answers a queue of many bytes.
type largeAnswers struct {
	fakeAnswers
	bytes int
}

func (f *largeAnswers) Queue(context.Context, api.Viewer, api.QueueQuery) (*api.Queue, error) {
	return &api.Queue{Jobs: []api.QueueJob{{Address: strings.Repeat("7", f.bytes)}}}, nil
}

// unread is a connection of who does not read: what is little fits in between.
type unread struct {
	*httptest.ResponseRecorder
	gone chan struct{}
}

func (u unread) Write(b []byte) (int, error) {
	if len(b) > smallReply {
		<-u.gone
	}
	return len(b), nil
}

// TestWhoDoesNotReadKeepsNobodyWaiting has one user ask for as much as may be asked and read
// nothing of it.
func TestWhoDoesNotReadKeepsNobodyWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newTestHandler(t, func(cfg *Config) { cfg.Answers = &largeAnswers{bytes: 1 << 20} })
		gone, codes := make(chan struct{}), make(chan int, 10)
		for range h.cfg.Limits.MaxInFlight {
			go func() {
				w := unread{httptest.NewRecorder(), gone}
				h.ServeHTTP(w, request("GET", "/v1/queue?limit=100000", "", "Authorization: Test eve"))
				codes <- w.Code
			}()
		}
		synctest.Wait()
		for _, target := range []string{"/v1/queue?limit=100000", "/v1/queue", "/v1/health"} {
			if w := serve(h, request("GET", target, "", "Authorization: Test bob")); w.Code != http.StatusOK {
				t.Errorf("%s of another: %d %.200s", target, w.Code, w.Body)
			}
		}
		close(gone)
		for range h.cfg.Limits.MaxInFlight {
			if code := <-codes; code != http.StatusOK {
				t.Errorf("once it is read: %d", code)
			}
		}
		if h.computing.taken != 0 || h.unread.taken != 0 || len(h.computing.byUser)+len(h.unread.byUser) != 0 {
			t.Errorf("something is held in the end: %d, %d", h.computing.taken, h.unread.taken)
		}
	})
}

// TestUnreadBytesAreBounded wants large answers that wait to be read to be as many as a user
// may have, small ones always to be sent, and others to have theirs.
func TestUnreadBytesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		large := &largeAnswers{bytes: 100 << 10}
		h := newTestHandler(t, func(cfg *Config) { cfg.Answers, cfg.Limits.UnreadBytes = large, 1000<<10 })
		gone, codes := make(chan struct{}), make(chan int, 10)
		for range 4 { // two are within a quarter
			go func() {
				w := unread{httptest.NewRecorder(), gone}
				h.ServeHTTP(w, request("GET", "/v1/queue", "", "Authorization: Test eve"))
				codes <- w.Code
			}()
		}
		for range 2 {
			if code := <-codes; code != http.StatusTooManyRequests {
				t.Errorf("beyond the bound: %d", code)
			}
		}
		if w := serve(h, request("GET", "/v1/queue", "", "Authorization: Test bob")); w.Code != http.StatusOK {
			t.Errorf("of another: %d", w.Code)
		}
		large.bytes = 1000
		if w := serve(h, request("GET", "/v1/queue", "", "Authorization: Test eve")); w.Code != http.StatusOK {
			t.Errorf("a small one: %d", w.Code)
		}
		close(gone)
		for range 2 {
			if code := <-codes; code != http.StatusOK {
				t.Errorf("once it is read: %d", code)
			}
		}
	})
}

// takes reports whether a share comes within a second.
func takes(t *testing.T, s *turns, w *turn) bool {
	ctx, end := context.WithTimeout(t.Context(), time.Second)
	defer end()
	return s.take(ctx, w)
}

// TestTurns wants a user's share to be bounded beyond the first, little to pass much, and much
// to come in the end.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTurns(64)
		first, small := s.newTurn("eve", 21), s.newTurn("bob", 1)
		for _, tt := range []struct {
			w    *turn
			want bool
		}{{first, true}, {s.newTurn("eve", 1), false}, {small, true}, {s.newTurn("bob", 15), true}, {s.newTurn("bob", 1), false}, {s.newTurn("ann", 1000), false}} {
			if got := s.tryTake(tt.w); got != tt.want {
				t.Errorf("%d of %s: %t", tt.w.weight, tt.w.user, got)
			}
		}
		all, taken := s.newTurn("ann", 64), make(chan bool, 1)
		go func() { taken <- s.take(t.Context(), all) }()
		synctest.Wait()
		passing := s.newTurn("carl", 1)
		if !takes(t, s, passing) {
			t.Error("little waits behind much")
		}
		for _, w := range []*turn{first, small, s.newTurn("bob", 15), passing} {
			s.release(w)
		}
		if !<-taken || s.taken != 64 || len(s.byUser) != 1 {
			t.Errorf("much never comes: %d are taken of %v", s.taken, s.byUser)
		}
		if takes(t, s, s.newTurn("bob", 1)) || len(s.waiting) != 0 {
			t.Errorf("beyond all: %d wait", len(s.waiting))
		}
	})
}
