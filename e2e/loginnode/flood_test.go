package loginnode

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"fairbridge/api"
	"fairbridge/api/wire"
)

// testPaths: no path leads to a file, and none that is odd is answered.
func (s *stage) testPaths(t *testing.T) {
	for _, uri := range []string{"/v1/../../etc/passwd", "/v1/jobs/..%2f..%2fetc%2fpasswd", "/v1/reports/../../../etc/passwd", "/v1/reports/..%2f..%2fetc%2fpasswd",
		"//etc/passwd", "/v1/jobs/%00", "/v1/jobs/1%0d%0aX-Evil:%201", "/v1/jobs/" + strings.Repeat("9", 4000), "/v1//queue", "/v1/queue/", "/link/", "/link/..", "/debug/pprof/", "/metrics", "/v2/queue",
		"/v1/queue?limit=-1", "/v1/queue?limit=99999999999999999999", "/v1/queue?after=%ff%00", "/v1/queue?nonsense=1", "/v1/queue?%zz"} {
		a := s.ask(question{method: "GET", uri: uri, user: "alice"})
		if a.status < 400 || a.status >= 500 || strings.Contains(a.text, "root:") || a.header.Get("X-Evil") != "" {
			t.Errorf("%.60s: %d %.200s", uri, a.status, a.text)
		}
	}
	for _, method := range []string{"PUT", "DELETE", "PATCH", "TRACE", "CONNECTX"} {
		if a := s.ask(question{method: method, uri: wire.QueuePath, user: "oper"}); a.status < 400 || a.status >= 500 {
			t.Errorf("%s: %d", method, a.status)
		}
	}
}

// testSizes: what is too large is refused, or the connection ends; the daemon goes on.
func (s *stage) testSizes(t *testing.T) {
	for what, q := range map[string]question{
		"a header":  {method: "GET", uri: wire.MePath, header: map[string]string{"X-Large": strings.Repeat("x", 2<<20)}},
		"a cookie":  {method: "GET", uri: wire.MePath, header: map[string]string{"Cookie": "__Host-fairbridge=" + strings.Repeat("x", 100_000)}},
		"an URL":    {method: "GET", uri: wire.QueuePath + "?user=" + strings.Repeat("x", 100_000)},
		"a body":    {method: "POST", uri: wire.ActionsPath, body: strings.Repeat(" ", 10<<20), user: "oper"},
		"deep JSON": {method: "POST", uri: wire.ActionsPath, body: strings.Repeat("[", 30_000), user: "oper"},
		"no body":   {method: "GET", uri: wire.QueuePath, body: "surprise", user: "alice"},
	} {
		a, err := s.try(q)
		if err == nil && (a.status < 400 || a.status >= 500) {
			t.Errorf("%s: %d %.200s", what, a.status, a.text)
		}
	}
	s.answers(t, "after large requests")
}

// testSlowClients: many who send a request by the byte do not keep others from their answers.
func (s *stage) testSlowClients(t *testing.T) {
	for range 60 { // of one address 100 may be open
		c, err := s.login.dial(t.Context(), "tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		slow := tls.Client(c, &tls.Config{InsecureSkipVerify: true})
		if _, err := fmt.Fprint(slow, "GET /v1/queue HTTP/1.1\r\nHost: ctl\r\nX-Slow: "); err != nil {
			t.Fatal(err)
		}
	}
	plain, err := s.login.dial(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	fmt.Fprint(plain, "GET /v1/health HTTP/1.1\r\nHost: ctl\r\n\r\n")
	text, _ := io.ReadAll(io.LimitReader(plain, 1<<10))
	if strings.Contains(string(text), "lab") {
		t.Errorf("it answers without TLS: %s", text)
	}
	s.answers(t, "beside slow clients")
}

// testFlood: a user who asks again and again, for what is public and without saying who they are, keeps nobody else of the
// login node from being answered.
func (s *stage) testFlood(t *testing.T) {
	refused := 0
	for n := range 300 {
		uri := wire.HealthPath
		if n%2 == 0 {
			uri = wire.QueuePath
		}
		if s.ask(question{method: "GET", uri: uri}).status == http.StatusTooManyRequests {
			refused++
		}
	}
	t.Logf("%d of 300 were too many", refused)
	s.answers(t, "after a flood")
}

// answers wants the daemon to answer a plain user.
func (s *stage) answers(t *testing.T, when string) {
	t.Helper()
	if a := s.ask(question{method: "GET", uri: wire.MePath, user: "alice"}); a.status != http.StatusOK {
		t.Errorf("%s: %d %s", when, a.status, a.text)
	}
}

// testWithoutSlurm: with slurmrestd gone the record still answers, and says what could not be asked.
func (s *stage) testWithoutSlurm(t *testing.T) {
	id := s.jobOf(t, "alice")
	s.stopSlurm()
	for _, argv := range [][]string{{"queue", "--me"}, {"explain", id}, {"job", id}, {"whoami"}} {
		if out, err := s.login.command(t.Context(), "alice", nil, append([]string{s.program}, argv...)...).CombinedOutput(); err != nil || !strings.Contains(string(out), "alice") {
			t.Errorf("%v: %v\n%.1000s", argv, err, out)
		}
	}
	var job api.Job
	a := s.ask(question{method: "GET", uri: wire.JobURL(id), user: "alice"})
	if err := json.Unmarshal([]byte(a.text), &job); err != nil || a.status != http.StatusOK || job.LiveError == "" || strings.Contains(job.LiveError, s.dir) {
		t.Errorf("it does not say that Slurm was not asked, or too much: %d %.500s %v", a.status, a.text, err)
	}
}
