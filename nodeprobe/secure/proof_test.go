package secure_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fairbridge/nodeprobe/client"
	"fairbridge/nodeprobe/secure"
)

// imposters are what may listen on a probe's port while the probe is not there.
// Each gets all that is asked, and one of them relays it to a real probe.
func imposters(real string) map[string]http.HandlerFunc {
	const forged = `{"node":"n1","gpus":[]}`
	ask := func(r *http.Request) *http.Response {
		q := r.Clone(context.Background())
		q.RequestURI, q.URL.Scheme, q.URL.Host, q.Host = "", "http", strings.TrimPrefix(real, "http://"), ""
		res, err := http.DefaultTransport.RoundTrip(q)
		if err != nil {
			panic(err)
		}
		return res
	}
	return map[string]http.HandlerFunc{
		"answers": func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, forged) },
		"gives the question back": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Fairbridge-Proof", strings.TrimPrefix(r.Header.Get("Authorization"), "Fairbridge "))
			_, _ = io.WriteString(w, forged)
		},
		"gives the question back alone": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Fairbridge-Proof", strings.TrimPrefix(r.Header.Get("Authorization"), "Fairbridge "))
		},
		"changes the true answer": func(w http.ResponseWriter, r *http.Request) {
			res := ask(r)
			w.Header().Set("Fairbridge-Proof", res.Header.Get("Fairbridge-Proof"))
			b, _ := io.ReadAll(res.Body)
			_, _ = io.WriteString(w, strings.Replace(string(b), "[]", "[{}]", 1))
		},
	}
}

// TestTheProbeProvesItself: with a token, over plain http, the probe is
// believed and nobody else is; and the token is not shown.
func TestTheProbeProvesItself(t *testing.T) {
	const token = "correct-horse-battery"
	with := func() (string, error) { return token, nil }
	var shown []string
	spied := func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for _, values := range r.Header {
				shown = append(shown, values...)
			}
			h.ServeHTTP(w, r)
		})
	}
	real := httptest.NewServer(spied(secure.RequireToken(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, `{"node":"n1","gpus":[]}`)
	}), with)))
	defer real.Close()
	for range 2 {
		must(t, pull(client.Config{Token: with}, real.URL))
	}
	for name, h := range imposters(real.URL) {
		s := httptest.NewServer(spied(h))
		if err := pull(client.Config{Token: with}, s.URL); err == nil || !strings.Contains(err.Error(), "is not the probe's") {
			t.Errorf("one that %s: %v", name, err)
		}
		s.Close()
	}
	if strings.Contains(strings.Join(shown, "\n"), "horse") {
		t.Errorf("the token is shown: %q", shown)
	}
}

// TestAnOldAnswerIsNoAnswer: a proof is of one question.
func TestAnOldAnswerIsNoAnswer(t *testing.T) {
	const token = "correct-horse-battery"
	with := func() (string, error) { return token, nil }
	guarded := secure.RequireToken(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, `{"node":"n1","gpus":[]}`)
	}), with)
	var old *httptest.ResponseRecorder
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if old == nil {
			old = httptest.NewRecorder()
			guarded.ServeHTTP(old, r)
		}
		w.Header().Set("Fairbridge-Proof", old.Header().Get("Fairbridge-Proof"))
		_, _ = w.Write(old.Body.Bytes())
	}))
	defer s.Close()
	must(t, pull(client.Config{Token: with}, s.URL))
	if err := pull(client.Config{Token: with}, s.URL); err == nil || !strings.Contains(err.Error(), "is not the probe's") {
		t.Errorf("an answer said again: %v", err)
	}
}

// TestPrometheusSendsTheToken: it knows no other way.
func TestPrometheusSendsTheToken(t *testing.T) {
	h := secure.RequireToken(http.NotFoundHandler(), func() (string, error) { return "correct-horse-battery", nil })
	for header, want := range map[string]int{"Bearer correct-horse-battery": 404, "Bearer correct-horse-batterz": 401, "": 401, "Fairbridge 00": 401} {
		r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
		r.Header.Set("Authorization", header)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("%q: %d, want %d", header, w.Code, want)
		}
	}
}

func TestOpenTokenFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	must(t, os.WriteFile(file, []byte("correct-horse-battery\n"), 0o600))
	for mode, fine := range map[os.FileMode]bool{0o600: true, 0o640: true, 0o644: false, 0o660: false} {
		must(t, os.Chmod(file, mode))
		if _, err := secure.NewTokenReader(file)(); (err == nil) != fine || err != nil && !strings.Contains(err.Error(), "chmod g-w,o-rwx "+file) {
			t.Errorf("mode %04o: %v", mode, err)
		}
	}
}
