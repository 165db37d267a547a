package server

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"

	"fairbridge/api"
	"fairbridge/api/apitest"
)

// checker checks answers against the document, and refuses fields that it does not describe.
type checker struct{ doc *openapi3.T }

func newChecker(t testing.TB) *checker {
	raw, err := json.Marshal(newDocument(t, true))
	if err != nil {
		t.Fatal(err)
	}
	return &checker{loadDocument(t, raw)}
}

// findRoute returns what the document says of a request, nil where it says nothing.
func (c *checker) findRoute(r *http.Request) *routers.Route {
	for path, item := range c.doc.Paths.Map() {
		if _, ok := matchPath(path, r.URL.EscapedPath()); ok && item.GetOperation(r.Method) != nil {
			return &routers.Route{Spec: c.doc, Path: path, PathItem: item, Method: r.Method, Operation: item.GetOperation(r.Method)}
		}
	}
	return nil
}

// check says why an answer is none that the document allows; nil: it is one.
func (c *checker) check(r *http.Request, w *httptest.ResponseRecorder) error {
	if r.Method == http.MethodHead {
		return nil // it has the headers of a GET and no body
	}
	body := w.Body.Bytes()
	if w.Header().Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			return err
		}
		if body, err = io.ReadAll(z); err != nil {
			return err
		}
	}
	route := c.findRoute(r)
	if route == nil {
		return c.checkError(body)
	}
	input := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: r, Route: route},
		Status:                 w.Code, Header: w.Header(), Options: &openapi3filter.Options{IncludeResponseStatus: true},
	}
	input.SetBodyBytes(body)
	return openapi3filter.ValidateResponse(r.Context(), input)
}

// checkError wants a body that tells an error: of what is no route there is nothing else.
func (c *checker) checkError(body []byte) error {
	var value any
	if err := json.Unmarshal(body, &value); err != nil {
		return err
	}
	return c.doc.Components.Responses["Error"].Value.Content["application/json"].Schema.Value.VisitJSON(value)
}

// asked is every route with parameters that it takes.
var asked = []string{
	"GET /v1/health", "GET /v1/openapi.json", "GET /v1/me", "GET /v1/queue?partition=a&partition=b&user=u&account=a&state=pending&job=47_%5B0-9%5D&node=n1&estimates=true&limit=5&after=x",
	"GET /v1/jobs/47_%5B0-9%5D", "GET /v1/jobs/4711/use", "GET /v1/when?partition=p&gpu_type=h100&gpus=2&nodes=1&time_limit=8h&user=u&account=a",
	"GET /v1/changes?job=5&user=u&kind=k&state=s&since=2026-03-02T00:00:00Z&limit=100000&after=x", "GET /v1/nodes?partition=p&node=n&limit=1&after=x",
	"GET /v1/shares", "GET /v1/reports", "GET /v1/reports/usage?since=2026-03-02T00:00:00Z&until=2026-03-03T00:00:00Z&account=a&user=u", "GET /v1/policies", "GET /v1/studies",
	"GET /v1/actions?limit=3&after=x", `POST /v1/actions {"kind":"stop","why":"because","until":"2026-03-02T00:00:00Z"}`, "POST /v1/link {}",
}

func newAsked(line string, headers ...string) *http.Request {
	method, rest, _ := strings.Cut(line, " ")
	target, body, _ := strings.Cut(rest, " ")
	if method == http.MethodPost {
		headers = append([]string{"Content-Type: application/json"}, headers...)
	}
	return request(method, target, body, headers...)
}

// TestAnswersAreAsDocumented asks for everything with every field set, and with none.
func TestAnswersAreAsDocumented(t *testing.T) {
	c := newChecker(t)
	operations := 0
	for _, path := range c.doc.Paths.Map() {
		operations += len(path.Operations())
	}
	if operations != len(asked) {
		t.Errorf("%d operations are documented, %d are asked", operations, len(asked))
	}
	for _, line := range asked {
		r := newAsked(line)
		w := serve(newTestHandler(t), r)
		if err := c.check(r, w); err != nil || w.Code != http.StatusOK {
			t.Errorf("%s: %d %v\n%s", line, w.Code, err, w.Body)
		}
		if w := serve(newTestHandler(t), newAsked(line, "Accept-Encoding: br, gzip;q=0.5")); w.Code != http.StatusOK || c.check(r, w) != nil {
			t.Errorf("%s, packed: %d %v", line, w.Code, c.check(r, w))
		}
	}
}

// TestEmptyAnswersAreAsDocumented answers with zero values: lists are null then.
func TestEmptyAnswersAreAsDocumented(t *testing.T) {
	c := newChecker(t)
	for target, zero := range map[string]any{
		"/v1/health": &api.Health{}, "/v1/queue": &api.Queue{}, "/v1/when": &api.When{}, "/v1/changes": &api.Changes{}, "/v1/nodes": &api.Nodes{},
		"/v1/shares": &api.Shares{}, "/v1/reports/usage": &api.Report{}, "/v1/policies": &api.Policies{}, "/v1/studies": &api.Studies{}, "/v1/jobs/5/use": &api.JobUse{}, "/v1/actions": &api.Actions{},
	} {
		r := request("GET", target, "")
		w := httptest.NewRecorder()
		e := &exchange{w: &statusWriter{ResponseWriter: w}, r: r}
		body, err := e.encode(zero, false)
		if err != nil {
			t.Fatal(err)
		}
		e.send(body)
		if err := c.check(r, w); err != nil {
			t.Errorf("%s: %v\n%s", target, err, w.Body)
		}
	}
}

// TestFilledAnswersAreDistinct keeps Fill honest: an answer that it leaves empty proves nothing.
func TestFilledAnswersAreDistinct(t *testing.T) {
	j := new(api.Job)
	apitest.Fill(j)
	if j.JobHistory == nil || len(j.Runs) != 2 || j.Runs[0].User == "" || j.Live == nil || j.Estimate == nil || j.Daemon.Leader == nil {
		t.Errorf("%+v", j)
	}
}

// TestWhoAsksHearsWhatIsPrivate: and why; a daemon that knows nothing of it says nothing.
func TestWhoAsksHearsWhatIsPrivate(t *testing.T) {
	private := api.AllPrivate("PrivateData of slurm.conf is not known")
	h := newTestHandler(t, func(c *Config) { c.Private = func() api.Privacy { return private } })
	for text, h := range map[string]*Handler{`"private":{"jobs":true,"usage":true,"nodes":true,"source":"PrivateData of slurm.conf is not known"}`: h, `"origin":`: newTestHandler(t)} {
		if got := serve(h, request("GET", "/v1/me", "")).Body.String(); !strings.Contains(got, text) {
			t.Errorf("%s lacks %s", got, text)
		}
	}
}
