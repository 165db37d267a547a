package server

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

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
