package loginnode

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"fairbridge/api"
	"fairbridge/api/credential"
)

// address is where the daemon listens on the wire, name how users call it.
const address, name = "10.0.0.1:9812", "ctl:9812"

// answer is what came back, with its text.
type answer struct {
	status int
	header http.Header
	text   string
}

// code is the code of an error, "" of an answer.
func (a answer) code() api.Code {
	var body struct{ Error api.Error }
	_ = json.Unmarshal([]byte(a.text), &body)
	return body.Error.Code
}

// newClient makes an HTTP client on the login node. It follows nothing and keeps no cookies.
func (s *stage) newClient() *http.Client {
	s.t.Helper()
	pem, err := os.ReadFile(filepath.Join(s.login.etc, "fairbridge", "ca.pem"))
	if err != nil {
		s.t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(pem)
	client := &http.Client{
		Timeout:       time.Minute,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			TLSClientConfig: &tls.Config{RootCAs: pool}, DisableKeepAlives: true,
			DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
				return s.login.dial(ctx, network, address)
			},
		},
	}
	return client
}

// question is a request from the login node.
type question struct {
	method, uri, body string
	header            map[string]string
	host              string   // what it says it was made for; "": name
	user              string   // who signs it; "": nobody does
	munge             []string // the command that does; nil: munge
}

// sign makes the header Authorization for a request.
func (s *stage) sign(q question) string {
	s.t.Helper()
	command := q.munge
	if command == nil {
		command = []string{"munge"}
	}
	text, err := credential.Encode(s.t.Context(), append(s.login.words(q.user), command...), credential.NewPayload(q.method, q.uri, cmp.Or(q.host, name), []byte(q.body)))
	if err != nil {
		s.t.Fatal(err)
	}
	return "Munge " + text
}

// try sends a question. An error is one of the connection.
func (s *stage) try(q question) (answer, error) {
	s.t.Helper()
	if q.method == "" {
		q.method = http.MethodGet
	}
	var body io.Reader
	if q.body != "" {
		body = bytes.NewReader([]byte(q.body))
	}
	r, err := http.NewRequestWithContext(s.t.Context(), q.method, "https://"+name+"/", body)
	if err != nil {
		s.t.Fatal(err)
	}
	r.URL.Opaque = q.uri // as it is, whatever it is
	r.Host = cmp.Or(q.host, name)
	if q.body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if q.user != "" {
		r.Header.Set("Authorization", s.sign(q))
	}
	for k, v := range q.header {
		r.Header.Set(k, v)
	}
	resp, err := s.newClient().Do(r)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 64<<20))
	return answer{resp.StatusCode, resp.Header, string(text)}, err
}

// ask is try for what must be answered.
func (s *stage) ask(q question) answer {
	s.t.Helper()
	a, err := s.try(q)
	if err != nil {
		s.t.Fatalf("%s %.100s: %v", q.method, q.uri, err)
	}
	return a
}

// refused wants a question to be refused by a code, with a text.
func (s *stage) refused(what string, q question, code api.Code, text string) {
	s.t.Helper()
	a := s.ask(q)
	if a.code() != code || !strings.Contains(a.text, text) {
		s.t.Errorf("%s: %d %.300s, want %s and %q", what, a.status, a.text, code, text)
	}
	for _, secret := range []string{proxySecret, "MUNGE:", "bob", "/etc/", "goroutine"} {
		if strings.Contains(a.text, secret) {
			s.t.Errorf("%s: the answer shows %q: %.300s", what, secret, a.text)
		}
	}
}
