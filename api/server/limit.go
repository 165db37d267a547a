package server

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"fairbridge/api"
	"fairbridge/api/credential"
	"fairbridge/api/listen"
)

// limiterTable has a limiter for each user, or address. It is bounded: those that have been
// idle so long that they are full again are dropped, and where that does not help all
// newcomers share one.
type limiterTable struct {
	rate  rate.Limit
	burst int

	mu       sync.Mutex
	limiters map[string]*limiter
	overflow limiter
}

// limiter is one user's, or one address's.
type limiter struct {
	*rate.Limiter
	inFlight int
}

// mostLimiters is how many are kept.
const mostLimiters = 20_000

func newLimiterTable(perSecond float64, burst int) *limiterTable {
	t := &limiterTable{rate: rate.Limit(perSecond), burst: burst, limiters: map[string]*limiter{}}
	t.overflow = limiter{Limiter: rate.NewLimiter(t.rate, t.burst)}
	return t
}

// find returns the limiter of a key. The table must be locked.
func (t *limiterTable) find(key string, now time.Time) *limiter {
	if l := t.limiters[key]; l != nil {
		return l
	}
	if len(t.limiters) >= mostLimiters {
		t.dropIdle(now)
	}
	if len(t.limiters) >= mostLimiters {
		return &t.overflow
	}
	l := &limiter{Limiter: rate.NewLimiter(t.rate, t.burst)}
	t.limiters[key] = l
	return l
}

func (t *limiterTable) dropIdle(now time.Time) {
	for key, l := range t.limiters {
		if l.inFlight == 0 && l.TokensAt(now) >= float64(t.burst) {
			delete(t.limiters, key)
		}
	}
}

// allow takes one from what the key may have, and says how long it is until there is one.
func (t *limiterTable) allow(key string, now time.Time) (wait time.Duration, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.find(key, now)
	if l.AllowN(now, 1) {
		return 0, true
	}
	return t.waitTime(l, now), false
}

// isSpent reports whether nothing is left of what the key may have, and takes nothing.
func (t *limiterTable) isSpent(key string, now time.Time) (wait time.Duration, spent bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	l, known := t.limiters[key]
	if !known || l.TokensAt(now) >= 1 {
		return 0, false
	}
	return t.waitTime(l, now), true
}

func (t *limiterTable) waitTime(l *limiter, now time.Time) time.Duration {
	return time.Duration((1 - l.TokensAt(now)) / float64(t.rate) * float64(time.Second))
}

// begin counts one more in flight, unless there are so many.
func (t *limiterTable) begin(key string, most int, now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.find(key, now)
	if l.inFlight >= most {
		return false
	}
	l.inFlight++
	return true
}

func (t *limiterTable) end(key string, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.find(key, now).inFlight--
}

// admitUser bounds how often, and how much at once, one user asks.
func (h *Handler) admitUser(user string) (done func(), err error) {
	if !h.users.begin(user, h.cfg.Limits.MaxInFlight, h.cfg.Now()) {
		return nil, newTooMany(fmt.Sprintf("%d requests of yours are being answered", h.cfg.Limits.MaxInFlight), time.Second)
	}
	done = func() { h.users.end(user, h.cfg.Now()) }
	if wait, ok := h.users.allow(user, h.cfg.Now()); !ok {
		done()
		return nil, newTooMany(fmt.Sprintf("you may ask %g times a second, and %d times at once", h.cfg.Limits.Rate, h.cfg.Limits.Burst), wait)
	}
	return done, nil
}

// admitAddress bounds how often one address asks for what is public.
func (h *Handler) admitAddress(e *exchange) error {
	if wait, ok := h.addresses.allow(addressKey(e.r), h.cfg.Now()); !ok {
		return newTooMany("too many requests of this address", wait)
	}
	return nil
}

// identify asks who a request is from. Only refused credentials, each of which costs a process,
// stand in the way of others of their address: a login node has many users. Who shows none, or text that
// cannot be one, is refused for nothing, and keeps nobody from being answered.
func (h *Handler) identify(e *exchange) error {
	key, shows := addressKey(e.r), credential.CanBe(e.r.Header.Values("Authorization"))
	if wait, spent := h.refused.isSpent(key, h.cfg.Now()); spent && shows {
		return newTooMany("too many credentials of this address were refused", wait)
	}
	var err error
	if e.viewer, err = h.cfg.Identity.Identify(e.r); err == nil {
		listen.MarkProven(e.r.Context())
		return nil
	}
	if shows {
		_, _ = h.refused.allow(key, h.cfg.Now())
	} else if many := h.admitAddress(e); many != nil {
		return many
	}
	if api.CodeOf(err) == api.CodeUnauthenticated {
		e.w.Header().Set("WWW-Authenticate", "Munge")
	}
	return err
}

// addressKey is where a request is from: the address, or the user at the other end of a unix
// socket, so that who is refused there keeps nobody else from it.
func addressKey(r *http.Request) string {
	if key, ok := listen.Sender(r.Context()); ok {
		return key
	}
	return listen.NetworkOf(r.RemoteAddr)
}

// tooManyError is a refusal with when to come back.
type tooManyError struct {
	told *api.Error
	wait time.Duration
}

// Error is what is told.
func (e *tooManyError) Error() string { return e.told.Error() }

// Unwrap returns what is told.
func (e *tooManyError) Unwrap() error { return e.told }

func newTooMany(message string, wait time.Duration) error {
	return &tooManyError{&api.Error{Code: api.CodeTooMany, Message: message, Try: "ask again later"}, wait}
}

// maxHoldBack is how long who asks too often waits to be told.
const maxHoldBack = time.Second

// holdBack waits before a user is told that they ask too often, until they may, but not for long:
// to know who asks costs a process each time, and this way a connection costs few.
func holdBack(ctx context.Context, err error) {
	var many *tooManyError
	if !errors.As(err, &many) {
		return
	}
	select {
	case <-time.After(min(many.wait, maxHoldBack)):
	case <-ctx.Done():
	}
}

// retryAfter is a time as header Retry-After has it: whole seconds, at least one.
func retryAfter(wait time.Duration) string {
	return strconv.Itoa(max(1, int(math.Ceil(min(wait, time.Hour).Seconds()))))
}
