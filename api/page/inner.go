package page

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairbridge/accounting/journal"
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

// jobBody is the page of a job.
type jobBody struct {
	*api.Job
	Run      *journal.JobRun // the last; nil: none is stored
	Current  *journal.StoredDecision
	Timeline []event
}

// event is something that happened to a job.
type event struct {
	At          time.Time
	What, Words string
}

func viewJob(_ *Handler, r *http.Request, s Source) (any, error) {
	j, err := s.Job(r.Context(), r.PathValue("job"))
	if err != nil {
		return nil, err
	}
	body := &jobBody{Job: j}
	if j.JobHistory == nil {
		return body, nil
	}
	if n := len(j.Runs); n > 0 {
		body.Run = &j.Runs[n-1]
	}
	if i := slices.IndexFunc(j.Decisions, func(d journal.StoredDecision) bool { return d.IsCurrent }); i >= 0 {
		body.Current = &j.Decisions[i]
	}
	body.Timeline = newTimeline(j.JobHistory)
	return body, nil
}

// newTimeline is what happened to a job, oldest first.
func newTimeline(h *journal.JobHistory) []event {
	var list []event
	add := func(at time.Time, what, words string) {
		if !at.IsZero() {
			list = append(list, event{at, what, words})
		}
	}
	for i := range h.Runs {
		run := &h.Runs[i]
		if run.Restarts == 0 {
			add(run.Submit, "submitted", fmt.Sprintf("%d GPUs in partition %s", run.GPUs, run.Partition))
		}
		add(run.Start, "started", run.Nodes)
		add(run.End, "ended", run.State)
	}
	for _, d := range h.Decisions {
		add(d.At, "decided: "+string(d.Verb), d.Why)
	}
	for i := range h.Intents {
		add(h.Intents[i].Made, "changed: "+string(h.Intents[i].Edit.Kind), h.Intents[i].Edit.Why)
	}
	slices.SortStableFunc(list, func(a, b event) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.What, b.What)) })
	return list
}

// undoBody asks whether a change is to be undone, or says that it was.
type undoBody struct {
	*api.Action
	CSRF string
}

// maxFormBytes is the most that a form may hold.
const maxFormBytes = 16 << 10

// csrf is what a form must hold; "": who sent the request may only read.
func (h *Handler) csrf(r *http.Request) string {
	if h.cfg.CSRF == nil || h.cfg.Act == nil {
		return ""
	}
	return h.cfg.CSRF(r)
}

// serveUndo undoes a change in two steps, as the API does: what it would do is told first.
func (h *Handler) serveUndo(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxFormBytes)
	id, err := strconv.ParseInt(r.PostFormValue("change"), 10, 64)
	if err != nil || h.csrf(r) == "" {
		h.refuse(w, "changes", &api.Error{Code: api.CodeForbidden, Message: "nothing can be undone by this form here", Try: "fairbridge undo, or a link of an operator's"})
		return
	}
	request := api.ActionRequest{Kind: api.ActionUndo, Change: id, Why: r.PostFormValue("why"), Confirm: r.PostFormValue("confirm")}
	done, err := h.cfg.Act(r, r.PostFormValue("csrf"), request)
	if err != nil {
		h.refuse(w, "changes", err)
		return
	}
	h.render(w, http.StatusOK, "undo", frame{View: "changes", Title: titles["undo"], Body: &undoBody{done, h.csrf(r)}})
}

// ReadStudy reads what fairbridge-lab compare --json or replay --json printed. Which days it is of, and who had it made, does
// not stand there.
func ReadStudy(r io.Reader) (*api.Studies, error) {
	var lines []api.StudyLine
	for d := json.NewDecoder(r); ; {
		var l api.StudyLine
		switch err := d.Decode(&l); {
		case errors.Is(err, io.EOF):
			return NewStudies(lines), nil
		case err != nil:
			return nil, fmt.Errorf("reading line %d of a study (write it anew: fairbridge-lab compare --json): %w", len(lines)+1, err)
		}
		if l.Policy != "" { // of replay a line tells how true the simulation is
			lines = append(lines, l)
		}
	}
}

// NewStudies is what pages show of lines alone.
func NewStudies(lines []api.StudyLine) *api.Studies {
	if lines == nil {
		return &api.Studies{}
	}
	return &api.Studies{Partitions: []api.PartitionStudy{{Study: &api.Study{Lines: lines}}}}
}

func viewStudy(_ *Handler, r *http.Request, s Source) (any, error) { return s.Studies(r.Context()) }

// JobReader tells of jobs.
type JobReader interface {
	Queue(ctx context.Context, q api.QueueQuery) (*api.Queue, error)
	Job(ctx context.Context, address string) (*api.Job, error)
}

// ClusterReader tells of nodes and shares.
type ClusterReader interface {
	Nodes(ctx context.Context, q api.NodeQuery) (*api.Nodes, error)
	Shares(ctx context.Context) (*api.Shares, error)
}

// RecordReader tells of what was, and what would have been.
type RecordReader interface {
	Changes(ctx context.Context, q api.ChangeQuery) (*api.Changes, error)
	Report(ctx context.Context, name string, q api.ReportQuery) (*api.Report, error)
	Studies(ctx context.Context) (*api.Studies, error)
}

// Source answers for one viewer. Errors that are told to them are *api.Error.
type Source interface {
	JobReader
	ClusterReader
	RecordReader
}

// Mount puts pages beside the API on one listener: what is below Prefix is theirs. A browser that just followed its
// link comes to / with its session and is sent to the queue.
func Mount(answers http.Handler, pages *Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, Prefix):
			pages.ServeHTTP(w, r)
		case r.URL.Path == "/" && r.Method == http.MethodGet && len(r.CookiesNamed(identity.SessionCookie)) == 1:
			setHeaders(w.Header())
			http.Redirect(w, r, Prefix+"queue", http.StatusSeeOther)
		default:
			answers.ServeHTTP(w, r)
		}
	})
}
