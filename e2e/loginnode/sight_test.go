package loginnode

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"fairbridge/api"
	"fairbridge/api/wire"
)

// queueOf is the whole queue as a user sees it.
func (s *stage) queueOf(t *testing.T, user string) *api.Queue {
	t.Helper()
	var q api.Queue
	a := s.ask(question{method: "GET", uri: wire.QueuePath + "?limit=100000", user: user})
	if err := json.Unmarshal([]byte(a.text), &q); err != nil || a.status != 200 {
		t.Fatalf("%s: %d %.300s %v", user, a.status, a.text, err)
	}
	return &q
}

// testRows: PrivateData has jobs, so everybody sees what is theirs.
func (s *stage) testRows(t *testing.T) {
	for user, want := range map[string][]string{"alice": {"alice"}, "bob": {"bob"}, "carol": {"bob"}, "root": nil, "oper": {"alice", "bob"}} {
		q := s.queueOf(t, user)
		seen := map[string]int{}
		for _, j := range q.Jobs {
			seen[j.User]++
		}
		for _, owner := range want {
			if n := jobCount / aliceEvery; owner == "alice" && seen[owner] != n || owner == "bob" && seen[owner] != jobCount-n {
				t.Errorf("%s sees %d jobs of %s", user, seen[owner], owner)
			}
		}
		if len(seen) != len(want) || (user != "oper") != (q.Hidden > 0) {
			t.Errorf("%s sees jobs of %v, %d are hidden", user, seen, q.Hidden)
		}
	}
}

// testOthersJob: a job of somebody else is not told from one that never was, by any question or command.
func (s *stage) testOthersJob(t *testing.T) {
	theirs, none := s.jobOf(t, "bob"), "9999999"
	for _, uri := range []string{"/v1/jobs/%s", "/v1/jobs/%s/use", "/v1/changes?job=%s", "/v1/queue?job=%s"} {
		var texts [2]string
		for i, id := range []string{theirs, none} {
			a := s.ask(question{method: "GET", uri: fmt.Sprintf(uri, id), user: "alice"})
			texts[i] = fmt.Sprint(a.status, " ", strings.ReplaceAll(a.text, id, "ID"))
		}
		if texts[0] != texts[1] {
			t.Errorf("%s tells them apart:\n%.500s\n%.500s", uri, texts[0], texts[1])
		}
	}
	for _, command := range [][]string{{"explain"}, {"job"}, {"explain", "--json"}} {
		var texts [2]string
		for i, id := range []string{theirs, none} {
			out, err := s.login.command(t.Context(), "alice", nil, append([]string{s.program}, append(command, id)...)...).CombinedOutput()
			texts[i] = fmt.Sprint(err, " ", strings.ReplaceAll(string(out), id, "ID"))
		}
		if texts[0] != texts[1] || strings.Contains(texts[0], "nil") {
			t.Errorf("%v tells them apart, or succeeds:\n%s\n%s", command, texts[0], texts[1])
		}
	}
}

// jobOf is the address of the last job of a user that waits.
func (s *stage) jobOf(t *testing.T, user string) string {
	t.Helper()
	last := 0
	for _, j := range s.queueOf(t, user).Jobs {
		if id, err := strconv.Atoi(j.Address); err == nil && j.User == user && strings.EqualFold(string(j.State), "pending") {
			last = max(last, id)
		}
	}
	if last < 1000 { // a short one would stand in times, too
		t.Fatalf("%s has no late job that waits", user)
	}
	return strconv.Itoa(last)
}

// testNothingOfOthers: no answer to a user has another's name or jobs in it. Alice's jobs are in line ahead of bob's.
func (s *stage) testNothingOfOthers(t *testing.T) {
	for user, other := range map[string]string{"alice": "bob", "bob": "alice"} {
		own := s.jobOf(t, user)
		for _, uri := range []string{"/v1/queue", "/v1/queue?estimates=true", "/v1/jobs/" + own, "/v1/jobs/" + own + "/use", "/v1/changes", "/v1/nodes", "/v1/shares", "/v1/reports",
			"/v1/reports/usage", "/v1/reports/users", "/v1/reports/waits", "/v1/policies", "/v1/health", "/v1/when?gpus=1&time_limit=1h"} {
			s.wantNothingOf(t, other, question{method: "GET", uri: uri, user: user}, true)
		}
		for _, uri := range []string{"/v1/studies", "/v1/queue?user=" + other, "/v1/changes?user=" + other, "/v1/when?gpus=1&time_limit=1h&user=" + other, "/v1/reports/users?user=" + other} {
			s.wantNothingOf(t, other, question{method: "GET", uri: uri, user: user}, false)
		}
	}
}

// wantNothingOf wants an answer without a user's name but where the question has it, and, unless it may be refused, one that is given.
func (s *stage) wantNothingOf(t *testing.T, other string, q question, isGiven bool) {
	t.Helper()
	a := s.ask(q)
	if isGiven && a.status != 200 || a.status >= 500 {
		t.Errorf("%s of %s: %d %.300s", q.uri, q.user, a.status, a.text)
	}
	if at := strings.Index(a.text, other); at >= 0 && (isGiven || a.status == 200) {
		t.Errorf("%s of %s has %q: %s", q.uri, q.user, other, a.text[max(0, at-300):min(len(a.text), at+100)])
	}
}

// testHostileNames: what a user called a job does nothing to a terminal, and breaks no line.
func (s *stage) testHostileNames(t *testing.T) {
	id := strconv.Itoa(jobCount) // the last one is bob's, and called so
	for _, command := range [][]string{{"queue", "-u", "bob"}, {"job", id}, {"explain", id}, {"queue", "--json", "-u", "bob"}} {
		out, err := s.login.command(t.Context(), "oper", nil, append([]string{s.program}, command...)...).CombinedOutput()
		if err != nil {
			t.Errorf("%v: %v\n%.500s", command, err, out)
		}
		for _, bad := range []string{"\x1b", "\x07", "\u202e"} {
			if strings.Contains(string(out), bad) {
				t.Errorf("%v prints %q", command, bad)
			}
		}
	}
}

// testClientFile: a client.yaml that somebody else may change, or a link to one, is not believed.
func (s *stage) testClientFile(t *testing.T) {
	dir := s.folder("mallory")
	path, link := filepath.Join(dir, "client.yaml"), filepath.Join(s.dir, "link.yaml")
	err := os.WriteFile(path, []byte("url: https://ctl:9812\nmunge: [/bin/sh, -c, 'id >"+s.dir+"/ran']\n"), 0o644)
	if err == nil {
		err = os.Chown(path, users["mallory"], users["mallory"])
	}
	if err == nil {
		err = os.Symlink(path, link)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{path, link} {
		out, err := s.login.command(t.Context(), "alice", []string{"FAIRBRIDGE_CLIENT=" + file}, s.program, "whoami").CombinedOutput()
		if err == nil || !strings.Contains(string(out), "belongs to") {
			t.Errorf("%s is believed: %v %s", file, err, out)
		}
	}
	if _, err := os.Stat(filepath.Join(s.dir, "ran")); err == nil {
		t.Error("its command ran")
	}
}
