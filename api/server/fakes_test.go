package server

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fairbridge/api"
	"fairbridge/api/apitest"
)

// fakeAnswers answers with every field set, or as answer says.
type fakeAnswers struct {
	answer func(ctx context.Context, v api.Viewer, asked any) error // nil: nothing is wrong
}

func answerOf[A any](f *fakeAnswers, ctx context.Context, v api.Viewer, asked any) (*A, error) {
	if f.answer != nil {
		if err := f.answer(ctx, v, asked); err != nil {
			return nil, err
		}
	}
	a := new(A)
	apitest.Fill(a)
	return a, nil
}

func (f *fakeAnswers) Queue(ctx context.Context, v api.Viewer, q api.QueueQuery) (*api.Queue, error) {
	return answerOf[api.Queue](f, ctx, v, q)
}

func (f *fakeAnswers) Job(ctx context.Context, v api.Viewer, address string) (*api.Job, error) {
	return answerOf[api.Job](f, ctx, v, address)
}

func (f *fakeAnswers) JobUse(ctx context.Context, v api.Viewer, address string) (*api.JobUse, error) {
	return answerOf[api.JobUse](f, ctx, v, address)
}

func (f *fakeAnswers) When(ctx context.Context, v api.Viewer, q api.WhenQuery) (*api.When, error) {
	return answerOf[api.When](f, ctx, v, q)
}

func (f *fakeAnswers) Changes(ctx context.Context, v api.Viewer, q api.ChangeQuery) (*api.Changes, error) {
	return answerOf[api.Changes](f, ctx, v, q)
}

func (f *fakeAnswers) Nodes(ctx context.Context, v api.Viewer, q api.NodeQuery) (*api.Nodes, error) {
	return answerOf[api.Nodes](f, ctx, v, q)
}

func (f *fakeAnswers) Shares(ctx context.Context, v api.Viewer) (*api.Shares, error) {
	return answerOf[api.Shares](f, ctx, v, nil)
}

func (f *fakeAnswers) Report(ctx context.Context, v api.Viewer, name string, q api.ReportQuery) (*api.Report, error) {
	return answerOf[api.Report](f, ctx, v, name)
}

func (f *fakeAnswers) Policies(ctx context.Context, v api.Viewer) (*api.Policies, error) {
	return answerOf[api.Policies](f, ctx, v, nil)
}

func (f *fakeAnswers) Studies(ctx context.Context, v api.Viewer) (*api.Studies, error) {
	return answerOf[api.Studies](f, ctx, v, nil)
}

func (f *fakeAnswers) Health(ctx context.Context) (*api.Health, error) {
	return answerOf[api.Health](f, ctx, api.Viewer{}, nil)
}

// fakeIdentity believes "Test NAME", and hands out links.
type fakeIdentity struct{}

func (fakeIdentity) Identify(r *http.Request) (api.Viewer, error) {
	name, ok := strings.CutPrefix(strings.Join(r.Header.Values("Authorization"), ","), "Test ")
	if !ok || name == "" {
		return api.Viewer{}, &api.Error{Code: api.CodeUnauthenticated, Message: "it is not proven who asks"}
	}
	v := api.Viewer{User: name, Role: api.RoleUser, Origin: "socket"}
	if name == "browser" {
		v.Origin = "browser"
	}
	return v, nil
}

func (fakeIdentity) MayAct(r *http.Request, _ api.Viewer) error {
	if r.Header.Get("Origin") != "" {
		return &api.Error{Code: api.CodeForbidden, Message: "another site may have sent this"}
	}
	return nil
}

func (fakeIdentity) NewLink(v api.Viewer) (string, time.Time, error) {
	return "https://h/link/s3cret-of-" + v.User, time.Unix(2e9, 0).UTC(), nil
}

func (fakeIdentity) Redeem(w http.ResponseWriter, r *http.Request) {
	if r.PathValue("token") != "s3cret" {
		panic(errors.New("no such token"))
	}
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// fakeActions counts what it is asked to do.
type fakeActions struct{ acted atomic.Int64 }

func (f *fakeActions) Act(_ context.Context, _ api.Viewer, request api.ActionRequest) (*api.Action, error) {
	f.acted.Add(1)
	return &api.Action{ActionRequest: request}, nil
}

func (f *fakeActions) List(context.Context, api.Viewer, int, string) (*api.Actions, error) {
	a := &api.Actions{}
	apitest.Fill(a)
	return a, nil
}

// newTestHandler returns a handler with fakes and no bound on how often is asked.
func newTestHandler(_ testing.TB, change ...func(*Config)) *Handler {
	cfg := Config{
		Answers: &fakeAnswers{}, Identity: fakeIdentity{}, Links: fakeIdentity{}, Actions: &fakeActions{}, Limits: DefaultLimits(),
		Metrics: NewMetrics(prometheus.NewRegistry()), Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	}
	cfg.Limits.Rate, cfg.Limits.AddressRate = 1e9, 1e9
	cfg.Limits.Burst, cfg.Limits.AddressBurst = 1<<30, 1<<30
	for _, f := range change {
		f(&cfg)
	}
	return NewHandler(cfg)
}

// request makes a request of ann's, with "Name: value" headers.
func request(method, target, body string, headers ...string) *http.Request {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Header.Set("Authorization", "Test ann")
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
		if value == "" {
			r.Header.Del(name)
		}
	}
	return r
}

func serve(h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}
