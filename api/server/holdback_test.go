package server

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"fairbridge/api"
)

// TestAskingTooOftenIsHeldBack wants who asks too often to wait before they are told, at most a
// second, on that connection alone, and no longer than they are there.
func TestAskingTooOftenIsHeldBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int64
		h := newTestHandler(t, func(cfg *Config) {
			cfg.Identity, cfg.Limits.Rate, cfg.Limits.Burst = &countingIdentity{asked: &asked}, .01, 1
		})
		took := func(r *http.Request, want int) time.Duration {
			began := time.Now()
			if w := serve(h, r); w.Code != want {
				t.Errorf("%s: %d, want %d", r.Header.Get("Authorization"), w.Code, want)
			}
			return time.Since(began)
		}
		if d := took(request("GET", "/v1/me", ""), 200); d != 0 {
			t.Errorf("within the rate: %v", d)
		}
		go func() { // another goes on meanwhile
			if d := took(request("GET", "/v1/me", "", "Authorization: Test bob"), 200); d != 0 {
				t.Errorf("another: %v", d)
			}
		}()
		began := time.Now()
		for time.Since(began) < 10*time.Second {
			if d := took(request("GET", "/v1/me", ""), 429); d != time.Second {
				t.Fatalf("beyond the rate: %v", d)
			}
		}
		if n := asked.Load(); n != 12 {
			t.Errorf("in ten seconds it was asked %d times who it is", n)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if d := took(request("GET", "/v1/me", "").WithContext(gone), 429); d != 0 {
			t.Errorf("who has gone: %v", d)
		}
	})
}

// countingIdentity counts how often it is asked who sent a request.
type countingIdentity struct {
	fakeIdentity
	asked *atomic.Int64
}

func (c *countingIdentity) Identify(r *http.Request) (api.Viewer, error) {
	c.asked.Add(1)
	return c.fakeIdentity.Identify(r)
}
