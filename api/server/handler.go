package server

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"

	"fairbridge/api"
	"fairbridge/api/wire"
)

// Handler answers the API.
type Handler struct {
	cfg       Config
	routes    []route
	users     *limiterTable
	addresses *limiterTable // of requests that show nothing of who sends them
	refused   *limiterTable // by address, of credentials that were refused
	computing *turns        // what answers are made of that are being made
	unread    *turns        // bytes of large answers that are on their way
}

// NewHandler returns a handler.
func NewHandler(cfg Config) *Handler {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	l := cfg.Limits
	h := &Handler{cfg: cfg, computing: newTurns(l.Capacity), unread: newTurns(l.UnreadBytes)}
	h.users = newLimiterTable(l.Rate, l.Burst)
	h.addresses = newLimiterTable(l.AddressRate, l.AddressBurst)
	h.refused = newLimiterTable(l.AddressRate, l.AddressBurst)
	h.routes = h.newRoutes()
	return h
}

// ServeHTTP answers one request: it finds the route, asks who it is from, and bounds, answers
// and counts it. What fails inside is logged once, here.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e := &exchange{w: &statusWriter{ResponseWriter: w}, r: r, started: h.cfg.Now(), id: newRequestID(), routeName: "other"}
	e.setHeaders()
	defer h.finish(e)
	defer h.recoverPanic(e)
	if err := h.serve(e); err != nil {
		h.refuse(e, err)
	}
}

// exchange is one request on its way to its answer.
type exchange struct {
	w         *statusWriter
	r         *http.Request
	started   time.Time
	id        string
	routeName string // its pattern, never the address: that may hold a secret
	segments  map[string]string
	viewer    api.Viewer
}

// serve answers a request, or returns why not.
func (h *Handler) serve(e *exchange) error {
	if len(e.r.RequestURI) > h.cfg.Limits.MaxURLBytes {
		return &api.Error{Code: api.CodeTooLarge, Message: fmt.Sprintf("the address has more than %d bytes", h.cfg.Limits.MaxURLBytes), Try: "ask for less at once"}
	}
	rt, err := h.findRoute(e)
	if err != nil {
		return err
	}
	e.routeName = rt.path
	if err := h.boundBody(e, rt); err != nil {
		return err
	}
	if rt.isPublic {
		if err := h.admitAddress(e); err != nil {
			return err
		}
	} else if err := h.identify(e); err != nil {
		return err
	}
	err = h.serveRoute(e, rt)
	if !rt.isPublic {
		holdBack(e.r.Context(), err)
	}
	return err
}

// serveRoute answers a request whose sender is known.
func (h *Handler) serveRoute(e *exchange, rt *route) error {
	if rt.raw != nil {
		return rt.raw(e)
	}
	ask, rows, err := rt.prepare(e)
	if err != nil {
		return err
	}
	if !rt.isPublic {
		done, err := h.admitUser(e.viewer.User)
		if err != nil {
			return err
		}
		defer done()
	}
	r, err := h.makeReply(e, rt, ask, rows)
	if err != nil {
		return err
	}
	return h.deliver(e, r)
}

// makeReply makes the answer when its turn has come. What is public is little, bounded by
// address and waits for nobody: it tells whether fairbridge works.
func (h *Handler) makeReply(e *exchange, rt *route, ask func(context.Context) (any, error), rows int) (reply, error) {
	if !rt.isPublic {
		release, err := h.takeTurn(e.r.Context(), e.viewer.User, rows)
		if err != nil {
			return reply{}, err
		}
		defer release()
	}
	ctx, end := context.WithTimeout(e.r.Context(), h.cfg.Limits.AnswerTime)
	defer end()
	answer, err := ask(ctx)
	if err != nil {
		return reply{}, explainTimeout(ctx, err)
	}
	return e.encode(answer, rt.isPublic)
}

// boundBody refuses a body where none is expected, and reads one where one is, so far as it may
// be large.
func (h *Handler) boundBody(e *exchange, rt *route) error {
	if rt.body == nil {
		if e.r.ContentLength != 0 {
			return &api.Error{Code: api.CodeBadRequest, Message: e.r.Method + " " + rt.path + " takes no body"}
		}
		return nil
	}
	most := h.cfg.Limits.MaxBodyBytes
	raw, err := io.ReadAll(http.MaxBytesReader(e.w, e.r.Body, most))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return &api.Error{Code: api.CodeTooLarge, Message: fmt.Sprintf("the body has more than %d bytes", most)}
	case err != nil:
		return &api.Error{Code: api.CodeBadRequest, Message: "the body did not arrive"}
	}
	e.r.Body = io.NopCloser(bytes.NewReader(raw))
	return nil
}

// explainTimeout tells an answer that took too long from one that failed.
func explainTimeout(ctx context.Context, err error) error {
	var told *api.Error
	if ctx.Err() != nil && !errors.As(err, &told) {
		return &api.Error{Code: api.CodeUnavailable, Message: "the answer takes too long now", Try: "ask for less, or later"}
	}
	return err
}

// recoverPanic makes a panic a fault that is told and logged. What net/http itself ends a
// request by goes on.
func (h *Handler) recoverPanic(e *exchange) {
	p := recover()
	switch {
	case p == nil:
	case p == http.ErrAbortHandler: //nolint:errorlint // the very value, as net/http compares it
		panic(p)
	default:
		h.refuse(e, fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
	}
}

// refuse tells an error.
func (h *Handler) refuse(e *exchange, err error) {
	var told *api.Error
	if !errors.As(err, &told) || told.Status() == 0 {
		told = &api.Error{Code: api.CodeInternal, Message: "a fault inside fairbridge", Try: "its log has why, under request " + e.id}
	}
	if told.Status() == http.StatusInternalServerError {
		var caused *api.CausedError
		if errors.As(err, &caused) {
			err = caused.Cause
		}
		h.cfg.Log.Error("a request to the API failed",
			"request", e.id, "route", e.routeName, "user", e.viewer.User, "error", err)
	}
	e.setRetry(err)
	e.writeError(told)
}

// finish counts the request.
func (h *Handler) finish(e *exchange) {
	took := h.cfg.Now().Sub(e.started)
	status := strconv.Itoa(e.w.status())
	h.cfg.Metrics.requests.WithLabelValues(e.routeName, status).Inc()
	h.cfg.Metrics.seconds.WithLabelValues(e.routeName).Observe(took.Seconds())
	h.cfg.Log.Debug("API", "request", e.id, "method", e.r.Method, "route", e.routeName, "status", status, "user", e.viewer.User, "origin", e.viewer.Origin, "took", took)
}

func newRequestID() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// setHeaders sets what every answer has: nothing that a browser might do with it is allowed.
func (e *exchange) setHeaders() {
	for k, v := range map[string]string{
		wire.RequestIDHeader: e.id, "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer",
		"Content-Security-Policy":      "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
		"Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "private, no-store",
	} {
		e.w.Header().Set(k, v)
	}
}
