package page

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"fairbridge/api"
	"fairbridge/api/identity"
	"fairbridge/api/wire"
)

// inner asks the API itself, within the process and as who sent the request for a page: with its cookie, address and
// connection. So who asks, what they may see and how much, is the API's decision and its alone.
type inner struct {
	api     http.Handler
	request *http.Request
}

// NewOverAPI returns a handler of pages that asks the API's own handler. It undoes changes for browsers that hold a
// session: by the very check of their token that the API makes.
func NewOverAPI(answers http.Handler, cfg Config) *Handler {
	cfg.Open = func(r *http.Request) Source { return &inner{answers, r} }
	cfg.CSRF = func(r *http.Request) string { return findCSRF(r, answers) }
	cfg.Act = func(r *http.Request, csrf string, request api.ActionRequest) (*api.Action, error) {
		raw, err := json.Marshal(request)
		if err != nil {
			return nil, fmt.Errorf("writing an action: %w", err)
		}
		return askInner[api.Action](r.Context(), &inner{answers, r}, http.MethodPost, wire.ActionsPath, nil, raw, csrf)
	}
	cfg.Actions = func(r *http.Request) (*api.Actions, error) {
		return getInner[api.Actions](r.Context(), &inner{answers, r}, wire.ActionsPath, wire.NewActionParams(&wire.ActionQuery{Limit: ActionsPerPage}))
	}
	return NewHandler(cfg)
}

// findCSRF is what a form of an operator must hold. A browser behind a proxy has no session, and nothing that a
// page of another site could not send in a form: it reads only.
func findCSRF(r *http.Request, answers http.Handler) string {
	tokens := r.CookiesNamed(identity.CSRFCookie)
	if len(r.CookiesNamed(identity.SessionCookie)) != 1 || len(tokens) != 1 {
		return ""
	}
	me, err := askInner[api.Viewer](r.Context(), &inner{answers, r}, http.MethodGet, wire.MePath, nil, nil, "")
	if err != nil || !me.IsOperator() {
		return ""
	}
	return tokens[0].Value
}

// Queue implements Source, as all below.
func (i *inner) Queue(ctx context.Context, q api.QueueQuery) (*api.Queue, error) {
	return getInner[api.Queue](ctx, i, wire.QueuePath, wire.NewQueueParams(&q))
}

// Job asks for a job.
func (i *inner) Job(ctx context.Context, address string) (*api.Job, error) {
	return getInner[api.Job](ctx, i, wire.JobURL(address), nil)
}

// Nodes asks for nodes.
func (i *inner) Nodes(ctx context.Context, q api.NodeQuery) (*api.Nodes, error) {
	return getInner[api.Nodes](ctx, i, wire.NodesPath, wire.NewNodeParams(&q))
}

// Shares asks for shares.
func (i *inner) Shares(ctx context.Context) (*api.Shares, error) {
	return getInner[api.Shares](ctx, i, wire.SharesPath, nil)
}

// Changes asks for changes.
func (i *inner) Changes(ctx context.Context, q api.ChangeQuery) (*api.Changes, error) {
	return getInner[api.Changes](ctx, i, wire.ChangesPath, wire.NewChangeParams(&q))
}

// Report asks for a report.
func (i *inner) Report(ctx context.Context, name string, q api.ReportQuery) (*api.Report, error) {
	return getInner[api.Report](ctx, i, wire.ReportURL(name), wire.NewReportParams(&q))
}

// Studies asks for studies.
func (i *inner) Studies(ctx context.Context) (*api.Studies, error) {
	return getInner[api.Studies](ctx, i, wire.StudiesPath, nil)
}

func getInner[T any](ctx context.Context, i *inner, path string, params []wire.Param) (*T, error) {
	return askInner[T](ctx, i, http.MethodGet, path, wire.Encode(params), nil, "")
}

// askInner asks one thing.
func askInner[T any](ctx context.Context, i *inner, method, path string, query url.Values, body []byte, csrf string) (*T, error) {
	request := i.request.Clone(ctx)
	address, err := url.Parse(path)
	if err != nil {
		return nil, fmt.Errorf("asking %s: %w", path, err)
	}
	address.RawQuery = query.Encode()
	request.Method, request.URL, request.RequestURI = method, address, address.RequestURI()
	request.Body, request.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	request.Form, request.PostForm = nil, nil
	for _, name := range []string{"Accept-Encoding", "If-None-Match", "Content-Type", "Content-Length", identity.CSRFHeader} {
		request.Header.Del(name)
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set(identity.CSRFHeader, csrf)
	}
	reply := &innerReply{header: http.Header{}, status: http.StatusOK}
	i.api.ServeHTTP(reply, request)
	return readReply[T](reply)
}

// innerReply holds what the API answers.
type innerReply struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (r *innerReply) Header() http.Header { return r.header }

// WriteHeader implements http.ResponseWriter.
func (r *innerReply) WriteHeader(status int) { r.status = status }

// Write implements http.ResponseWriter.
func (r *innerReply) Write(p []byte) (int, error) { return r.body.Write(p) }

func readReply[T any](r *innerReply) (*T, error) {
	if r.status != http.StatusOK {
		var told struct{ Error *api.Error }
		if json.Unmarshal(r.body.Bytes(), &told) != nil || told.Error == nil {
			return nil, errors.New("the API told no reason: " + http.StatusText(r.status))
		}
		return nil, told.Error
	}
	answer := new(T)
	if err := json.Unmarshal(r.body.Bytes(), answer); err != nil {
		return nil, fmt.Errorf("reading what the API answered: %w", err)
	}
	return answer, nil
}
