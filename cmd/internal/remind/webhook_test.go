package remind

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"fairbridge/accounting/dbtest"
	"fairbridge/bridge/reminders"
	"fairbridge/cmd/settings"
)

// A webhook gets signed JSON over https once; its URL and secret are in no error and no log.
func TestWebhook(t *testing.T) {
	status, got := http.StatusOK, []*http.Request{}
	var bodies [][]byte
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got, bodies = append(got, r), append(bodies, body)
		w.Header().Set("Location", "http://127.0.0.1:1/elsewhere")
		w.WriteHeader(status)
	}))
	defer server.Close()
	r := newRig(t)
	ca := x509.NewCertPool()
	ca.AddCert(server.Certificate())
	address := server.URL + "/hooks/T0KEN"
	s := r.service(t, noon, func(x *settings.Reminders) { x.WebhookURL, x.WebhookSecretFile = address, secretFile(t, secret) })
	s.channels = []channel{newWebhook(address, secretFile(t, secret), ca, s.now)}
	must(t, r.look(t, s))
	if len(got) != 1 {
		t.Fatalf("%d requests, want 1", len(got))
	}
	last, body := got[0], bodies[0]
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(append([]byte(last.Header.Get("X-Fairbridge-Timestamp")+"."), body...))
	if want := "sha256=" + hex.EncodeToString(mac.Sum(nil)); last.Header.Get("X-Fairbridge-Signature") != want {
		t.Errorf("signature %s, want %s", last.Header.Get("X-Fairbridge-Signature"), want)
	}
	var m reminders.Message
	if err := json.Unmarshal(body, &m); err != nil || m.User != "ann" || len(m.Jobs) != 1 || m.Jobs[0].IdleGPUs != 2 || m.Jobs[0].StepSeconds != 1200 || m.Cluster != "c1" {
		t.Errorf("%v: %s", err, body)
	}
	for _, status = range []int{302, 400, 429, 500, 503} {
		if err := s.channels[0].send(t.Context(), &m); err == nil || isRetryable(err) {
			t.Errorf("status %d: %v", status, err)
		}
	}
	server.Close()
	if err := s.channels[0].send(t.Context(), &m); !isAway(err) || strings.Contains(err.Error(), "T0KEN") {
		t.Errorf("a server that is away: %v", err)
	}
	if strings.Contains(r.log.String(), "T0KEN") || strings.Contains(r.log.String(), secret) {
		t.Errorf("a secret is in the log: %s", &r.log)
	}
}

// newWebhookServer answers as it is told, and returns the keys of what came.
func newWebhookServer(t *testing.T, answer http.HandlerFunc) (server *httptest.Server, ca *x509.CertPool, keys *[]string) {
	t.Helper()
	keys = &[]string{}
	server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*keys = append(*keys, r.Header.Get("Idempotency-Key"))
		answer(w, r)
	}))
	t.Cleanup(server.Close)
	ca = x509.NewCertPool()
	ca.AddCert(server.Certificate())
	return server, ca, keys
}

// What was posted may have arrived, whatever came back: it is not posted again, and counts as failed.
func TestWhatMayHaveArrivedIsNotPostedAgain(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"a proxy in front gave up": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) },
		"too many":                 func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) },
		"cut off":                  func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			server, ca, keys := newWebhookServer(t, answer)
			s := r.service(t, noon, func(x *settings.Reminders) { x.WebhookURL, x.WebhookSecretFile = server.URL, secretFile(t, secret) })
			s.channels = []channel{newWebhook(server.URL, secretFile(t, secret), ca, s.now)}
			for range 2 {
				must(t, r.look(t, s))
			}
			if n := dbtest.CountRows(t, r.db, "select from fairbridge.idle_messages where state = 'failed'"); len(*keys) != 1 || n != 1 {
				t.Errorf("%d requests and %d messages that failed, want one of each", len(*keys), n)
			}
		})
	}
}

// Where no connection was made nothing can have arrived: the message waits for another look.
func TestWhatCannotHaveArrivedIsPostedLater(t *testing.T) {
	r := newRig(t)
	server, ca, keys := newWebhookServer(t, func(http.ResponseWriter, *http.Request) {})
	s := r.service(t, noon, func(x *settings.Reminders) { x.WebhookURL, x.WebhookSecretFile = server.URL, secretFile(t, secret) })
	good := newWebhook(server.URL, secretFile(t, secret), ca, s.now)
	unknown := newWebhook(server.URL, secretFile(t, secret), x509.NewCertPool(), s.now)
	behind := newWebhook(server.URL, secretFile(t, secret), ca, s.now)
	behind.client.Transport.(*http.Transport).Proxy = http.ProxyURL(&url.URL{Scheme: "http", Host: "127.0.0.1:1"})
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }))
	defer refusing.Close()
	through := newWebhook(server.URL, secretFile(t, secret), ca, s.now)
	address, err := url.Parse(refusing.URL)
	must(t, err)
	through.client.Transport.(*http.Transport).Proxy = http.ProxyURL(address)
	for name, w := range map[string]*webhook{"a certificate that is not believed": unknown, "no proxy": behind, "a proxy that refuses": through} {
		s.channels = []channel{w}
		if err := r.look(t, s); err == nil || dbtest.CountRows(t, r.db, "select from fairbridge.idle_messages") != 0 {
			t.Errorf("%s: %v; %s", name, err, dbtest.DumpTable(t, r.db, "idle_messages"))
		}
	}
	s.channels = []channel{good}
	for range 2 {
		must(t, r.look(t, s))
	}
	if len(*keys) != 1 {
		t.Errorf("%d requests, want 1", len(*keys))
	}
}

// The key of a request is that of what it tells of: the cluster, jobs and steps, whatever the message's ID is.
func TestIdempotencyKey(t *testing.T) {
	server, ca, keys := newWebhookServer(t, func(http.ResponseWriter, *http.Request) {})
	w := newWebhook(server.URL, secretFile(t, secret), ca, time.Now)
	one, two := reminders.Entry{Job: 7, StepSeconds: 1200}, reminders.Entry{Job: 8, StepSeconds: 1200}
	later := reminders.Entry{Job: 7, StepSeconds: 7200}
	for _, m := range []reminders.Message{
		{ID: 1, Cluster: "c1", Jobs: []reminders.Entry{one, two}},
		{ID: 2, Cluster: "c1", Jobs: []reminders.Entry{two, one}, Text: "idle for longer"},
		{ID: 1, Cluster: "c2", Jobs: []reminders.Entry{one, two}},
		{ID: 1, Cluster: "c1", Jobs: []reminders.Entry{one}},
		{ID: 1, Cluster: "c1", Jobs: []reminders.Entry{later, two}},
	} {
		must(t, w.send(t.Context(), &m))
	}
	distinct := map[string]bool{}
	for _, k := range *keys {
		distinct[k] = true
	}
	if (*keys)[0] != (*keys)[1] || len(distinct) != 4 {
		t.Errorf("keys %q: want the first two the same, and no others", *keys)
	}
}
