package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/prometheus/client_golang/prometheus"

	"fairbridge/accounting/report"
	"fairbridge/api"
	"fairbridge/api/wire"
)

// newRoutes are all routes, in the order of the document.
func (h *Handler) newRoutes() []route {
	a := h.cfg.Answers
	list := []route{
		newPublic(wire.HealthPath, "Whether fairbridge works. It names no job, user or account.", a.Health),
		{method: http.MethodGet, path: wire.OpenAPIPath, about: "This document.", isPublic: true, answer: map[string]any{}, raw: h.serveDocument},
		newRead(wire.MePath, "Who is asking, as it was proven.", noParams, func(_ context.Context, e *exchange, _ noQuery) (*api.Viewer, error) {
			return h.describeViewer(e.viewer), nil
		}),
		newRead(wire.QueuePath, "The queue as of the last cycle of each partition.", wire.NewQueueParams, withViewer(a.Queue)),
		newRead(wire.JobPath, "A job's story by its address as squeue writes it: why it waits, runs or was requeued.", noParams, withSegment("job", a.Job)),
		newRead(wire.JobUsePath, "What a job got and how it used it.", noParams, withSegment("job", a.JobUse)),
		newRead(wire.WhenPath, "When a job would start if it were submitted now.", wire.NewWhenParams, withViewer(a.When)),
		newRead(wire.ChangesPath, "What was changed in Slurm, or was to be, newest first.", wire.NewChangeParams, withViewer(a.Changes)),
		newRead(wire.NodesPath, "The nodes with GPUs: what is given to jobs beside what is measured.", wire.NewNodeParams, withViewer(a.Nodes)),
		newRead(wire.SharesPath, "What accounts are entitled to, hold, want and used.", noParams, withoutQuery(a.Shares)),
		newRead(wire.ReportsPath, "The reports there are.", noParams, func(context.Context, *exchange, noQuery) (*api.ReportList, error) {
			return &api.ReportList{Reports: report.AllReports()}, nil
		}),
		newRead(wire.ReportPath, "A report with its rows.", wire.NewReportParams, func(ctx context.Context, e *exchange, q api.ReportQuery) (*api.Report, error) {
			return a.Report(ctx, e.viewer, e.segments["name"], q)
		}),
		newRead(wire.PolicyPath, "What decides where, and in which mode.", noParams, withoutQuery(a.Policies)),
		newRead(wire.StudiesPath, "What policies would have done with the jobs of each partition, as an administrator had it simulated last.", noParams, withoutQuery(a.Studies)),
	}
	list = append(list, h.newActionRoutes()...)
	list = append(list, h.newLinkRoutes()...)
	return append(list, route{method: http.MethodGet, path: "/", isPublic: true, raw: h.serveIndex})
}

// newActionRoutes are those of operators.
func (h *Handler) newActionRoutes() []route {
	if h.cfg.Actions == nil {
		return nil
	}
	return []route{
		newRead(wire.ActionsPath, "What operators did, newest first.", wire.NewActionParams, func(ctx context.Context, e *exchange, q wire.ActionQuery) (*api.Actions, error) {
			return h.cfg.Actions.List(ctx, e.viewer, q.Limit, q.After)
		}),
		newWrite(h, wire.ActionsPath, "An operator's action: first without confirm, which answers what it would do and what to confirm it by.",
			func(ctx context.Context, e *exchange, request api.ActionRequest) (*api.Action, error) {
				return h.cfg.Actions.Act(ctx, e.viewer, request)
			}),
	}
}

// newLinkRoutes are those that make browsers known.
func (h *Handler) newLinkRoutes() []route {
	if h.cfg.Links == nil {
		return nil
	}
	return []route{
		newWrite(h, wire.LinkPath, "An address that shows a browser to be who asks, once. A browser gets none.",
			func(_ context.Context, e *exchange, _ struct{}) (*api.Link, error) { return h.newLink(e) }),
		{method: http.MethodGet, path: wire.RedeemPath, isPublic: true, raw: func(e *exchange) error {
			h.cfg.Links.Redeem(e.w, e.r)
			return nil
		}},
	}
}

func (h *Handler) newLink(e *exchange) (*api.Link, error) {
	if e.viewer.Origin == api.OriginBrowser {
		return nil, &api.Error{Code: api.CodeForbidden, Message: "a browser gets no link for another", Try: "ask for one on a login node"}
	}
	address, until, err := h.cfg.Links.NewLink(e.viewer)
	return &api.Link{URL: address, Until: until}, err
}

// describeViewer adds what is private to who asks.
func (h *Handler) describeViewer(v api.Viewer) *api.Viewer {
	if h.cfg.Private != nil {
		private := h.cfg.Private()
		v.Private = &private
	}
	return &v
}

// noQuery is the query of what takes no parameters.
type noQuery struct{}

func noParams(*noQuery) []wire.Param { return nil }

func withViewer[Q, A any](ask func(context.Context, api.Viewer, Q) (A, error)) func(context.Context, *exchange, Q) (A, error) {
	return func(ctx context.Context, e *exchange, q Q) (A, error) { return ask(ctx, e.viewer, q) }
}

func withoutQuery[A any](ask func(context.Context, api.Viewer) (A, error)) func(context.Context, *exchange, noQuery) (A, error) {
	return func(ctx context.Context, e *exchange, _ noQuery) (A, error) { return ask(ctx, e.viewer) }
}

func withSegment[A any](name string, ask func(context.Context, api.Viewer, string) (A, error)) func(context.Context, *exchange, noQuery) (A, error) {
	return func(ctx context.Context, e *exchange, _ noQuery) (A, error) {
		return ask(ctx, e.viewer, e.segments[name])
	}
}

// newPublic is a route that anybody may ask.
func newPublic[A any](path, about string, ask func(context.Context) (*A, error)) route {
	rt := newRead(path, about, noParams, func(ctx context.Context, _ *exchange, _ noQuery) (*A, error) { return ask(ctx) })
	rt.isPublic = true
	return rt
}

// newRead is a route that changes nothing.
func newRead[Q, A any](path, about string, bind func(*Q) []wire.Param, ask func(context.Context, *exchange, Q) (*A, error)) route {
	return route{
		method: http.MethodGet, path: path, about: about, params: bind(new(Q)), answer: *new(A),
		prepare: func(e *exchange) (func(context.Context) (any, error), int, error) {
			var q Q
			rows, err := readQuery(e.r, bind(&q))
			return func(ctx context.Context) (any, error) { return ask(ctx, e, q) }, rows, err
		},
	}
}

// newWrite is a route that changes something.
func newWrite[B, A any](h *Handler, path, about string, ask func(context.Context, *exchange, B) (*A, error)) route {
	return route{
		method: http.MethodPost, path: path, about: about, body: *new(B), answer: *new(A),
		prepare: func(e *exchange) (func(context.Context) (any, error), int, error) {
			var body B
			_, err := readQuery(e.r, nil)
			if err == nil {
				err = readBody(e.r, &body)
			}
			if err == nil {
				err = h.cfg.Identity.MayAct(e.r, e.viewer)
			}
			return func(ctx context.Context) (any, error) { return ask(ctx, e, body) }, 0, err
		},
	}
}

// readQuery reads a query string, and how many rows it asks for.
func readQuery(r *http.Request, params []wire.Param) (rows int, err error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return 0, &api.Error{Code: api.CodeBadRequest, Message: "the query string cannot be read", Try: "percent-encode values: %26 for &, %25 for %"}
	}
	if err := wire.Decode(values, params); err != nil {
		return 0, err
	}
	for _, p := range params {
		if limit, ok := p.Target.(*int); ok && p.Name == wire.LimitName {
			return rowsOf(*limit)
		}
	}
	return 0, nil
}

func rowsOf(limit int) (int, error) {
	switch {
	case limit < 0 || limit > api.MaxLimit:
		return 0, &api.Error{Code: api.CodeBadRequest, Message: fmt.Sprintf("parameter %s cannot be %d", wire.LimitName, limit), Try: fmt.Sprintf("1 to %d", api.MaxLimit)}
	case limit == 0:
		return api.DefaultLimit, nil
	}
	return limit, nil
}

// route is one thing that can be asked.
type route struct {
	method, path string
	about        string // for the document
	isPublic     bool   // anybody may ask, with nothing that proves who
	params       []wire.Param
	body         any // a zero value of what is sent; nil: nothing is
	answer       any // a zero value of what is answered
	// prepare reads the request and returns what asks for the answer, and how many rows that
	// may have.
	prepare func(e *exchange) (ask func(context.Context) (any, error), rows int, err error)
	raw     func(e *exchange) error // answers in place of prepare what is not an answer's JSON
}

// errWrongMethod is told where the path is known and the method is not one of its.
var errWrongMethod = &api.Error{Code: api.CodeBadRequest, Message: "this path does not take that method", Try: "header Allow has those that it takes"}

// findRoute finds the route of a request. Paths are compared as they are written, segment by
// segment: nothing is cleaned, and no redirect is told.
func (h *Handler) findRoute(e *exchange) (*route, error) {
	method := e.r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	var allowed []string
	for i := range h.routes {
		rt := &h.routes[i]
		segments, ok := matchPath(rt.path, e.r.URL.EscapedPath())
		if !ok {
			continue
		}
		if rt.method == method {
			e.segments = segments
			for name, text := range segments {
				if err := wire.CheckText("the "+name+" in the address", text); err != nil {
					return nil, err
				}
				e.r.SetPathValue(name, text)
			}
			return rt, nil
		}
		if allowed = append(allowed, rt.method); rt.method == http.MethodGet {
			allowed = append(allowed, http.MethodHead)
		}
	}
	if allowed == nil {
		return nil, &api.Error{Code: api.CodeNotFound, Message: "there is no such path", Try: wire.OpenAPIPath + " describes those there are"}
	}
	slices.Sort(allowed)
	e.w.Header().Set("Allow", strings.Join(allowed, ", "))
	return nil, errWrongMethod
}

// matchPath compares a path with a pattern and returns what stands for its {names}, decoded.
func matchPath(pattern, path string) (segments map[string]string, ok bool) {
	want, got := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(want) != len(got) {
		return nil, false
	}
	segments = map[string]string{}
	for i, w := range want {
		text, err := url.PathUnescape(got[i])
		name, isName := strings.CutPrefix(w, "{")
		switch {
		case err != nil, isName && text == "", !isName && text != w:
			return nil, false
		case isName:
			segments[strings.TrimSuffix(name, "}")] = text
		}
	}
	return segments, true
}

// readBody reads a request's JSON strictly: one value, with no field that is not known. What
// a form of another site could send is refused by its type.
func readBody(r *http.Request, into any) error {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" || len(r.Header.Values("Content-Type")) > 1 {
		return &api.Error{Code: api.CodeBadRequest, Message: "the body is not said to be JSON", Try: "send header Content-Type: application/json"}
	}
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return &api.Error{Code: api.CodeBadRequest, Message: "the body did not arrive"}
	}
	if err := checkTexts(raw); err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err = d.Decode(into); err == nil {
		if _, err = d.Token(); errors.Is(err, io.EOF) {
			return nil
		}
		err = errors.Join(errors.New("something follows the value"), err)
	}
	return &api.Error{Code: api.CodeBadRequest, Message: fmt.Sprintf("the body cannot be read: %.200s", err), Try: "/v1/openapi.json describes it"}
}

// checkTexts refuses JSON whose texts are none that may be sent. What is no JSON is left to its reader.
func checkTexts(raw []byte) error {
	if !utf8.Valid(raw) {
		return wire.CheckText("the body", string(raw))
	}
	for d := json.NewDecoder(bytes.NewReader(raw)); ; {
		token, err := d.Token()
		if err != nil {
			return nil
		}
		if text, ok := token.(string); ok {
			if err := wire.CheckText("a text of the body", text); err != nil {
				return err
			}
		}
	}
}

// Metrics counts requests.
type Metrics struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
}

// NewMetrics registers the metrics of the API.
func NewMetrics(r prometheus.Registerer) *Metrics {
	m := &Metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "fairbridge_api_requests_total", Help: "Requests to the API by route and HTTP status.",
		}, []string{"route", "code"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "fairbridge_api_request_seconds", Help: "How long requests to the API took.",
			Buckets: []float64{.001, .003, .01, .03, .1, .2, .5, 1, 3, 10, 30},
		}, []string{"route"}),
	}
	r.MustRegister(m.requests, m.seconds)
	return m
}
