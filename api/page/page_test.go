package page_test

import (
	"fmt"
	"html"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"fairbridge/accounting/journal"
	"fairbridge/api"
	"fairbridge/api/page"
	"fairbridge/api/page/recording"
	"fairbridge/bridge"
)

// views are the addresses of all views, and what stands on each when it is filtered.
var views = []string{"queue?state=PENDING", "nodes?node=n1", "shares?account=research", "idle?account=research", "estimates?user=alice", "changes?kind=site_factor", "study"}

func readDemo(t *testing.T) *recording.Recording {
	t.Helper()
	rec, err := recording.Demo()
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

func newHandler(s page.Source) *page.Handler {
	return newHandlerAt(s, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
}

// newHandlerAt shows pages at a moment.
func newHandlerAt(s page.Source, at time.Time) *page.Handler {
	return page.NewHandler(page.Config{Open: func(*http.Request) page.Source { return s }, Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return at }})
}

// get asks for a page below the prefix.
func get(t *testing.T, h http.Handler, path string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, page.Prefix+path, nil))
	return w
}

// TestTwoAccountsAreCompared: only where exactly two are shown, of which the use may be seen.
func TestTwoAccountsAreCompared(t *testing.T) {
	h := newHandler(readDemo(t))
	for path, want := range map[string]bool{"shares?account=research,vision": true, "shares?account=research": false, "shares": false} {
		if got := strings.Contains(get(t, h, path).Body.String(), "So where shares decide, the jobs of research go "); got != want {
			t.Errorf("%s compares accounts: %v", path, got)
		}
	}
}

// TestStarts: the page of the queue says how far plans reach Slurm, in the words of the doctor.
func TestStarts(t *testing.T) {
	rec := readDemo(t)
	starts := &journal.StartCounts{Wanted: 1, Against: 2, Unseen: 1}
	for _, mode := range []bridge.Mode{bridge.ModeObserve, bridge.ModeRank} {
		p := &rec.QueueAnswer.Partitions[0]
		p.Mode, p.Starts = mode, starts
		want := "<p>Plans: " + starts.Words(mode) + ".</p>"
		if body := get(t, newHandler(rec), "queue").Body.String(); !strings.Contains(body, want) {
			t.Errorf("in mode %s the page lacks %q", mode, want)
		}
		if p.Starts = nil; strings.Contains(get(t, newHandler(rec), "queue").Body.String(), "Plans: ") {
			t.Error("the page tells of starts that are not known")
		}
	}
}

// TestEveryView shows each from the recording that is part of the program, with one heading, a marked entry of the
// navigation, and no text of script or style.
func TestEveryView(t *testing.T) {
	rec := readDemo(t)
	h := newHandler(rec)
	all := views
	for address := range rec.Jobs {
		all = append(all, "jobs/"+url.PathEscape(address))
	}
	for _, path := range all {
		w := get(t, h, path)
		body := w.Body.String()
		if w.Code != http.StatusOK || strings.Count(body, "<h1>") != 1 || !strings.Contains(body, "</html>") {
			t.Errorf("%s: status %d, %d headings", path, w.Code, strings.Count(body, "<h1>"))
		}
		isJob := strings.HasPrefix(path, "jobs/")
		if !isJob && strings.Count(body, `aria-current="page"`) != 1 {
			t.Errorf("%s: the navigation does not say where one is", path)
		}
		for _, inline := range []string{"<script>", "<style", " style=", " onclick=", "javascript:"} {
			if strings.Contains(body, inline) {
				t.Errorf("%s has %s, which the policy of content forbids", path, inline)
			}
		}
	}
	if len(rec.Jobs) == 0 || len(rec.ChangesAnswer.Changes) == 0 || len(rec.QueueAnswer.Jobs) == 0 {
		t.Error("the recording has no jobs, no queue or no changes: nothing was tried")
	}
}

// hostile are texts that try to be more than text.
var hostile = []string{"<script>alert(1)</script>", `"><img src=x onerror=alert(1)>`, "\x1b[2Jgone", "a\u202egnp.exe", "{{.Secret}}", "javascript:alert(1)", "</bdi></td>", "' onfocus='x"}

// TestHostileNames shows texts of users as texts.
func TestHostileNames(t *testing.T) {
	for _, text := range hostile {
		rec := readDemo(t)
		job := api.QueueJob{QueueRow: journal.QueueRow{Name: text, User: text, Account: text, Why: text, Reason: text, State: text}, Address: text}
		rec.QueueAnswer.Jobs = []api.QueueJob{job}
		rec.NodesAnswer.Nodes[0].Jobs = []api.NodeJob{{Address: text, User: text}}
		rec.NodesAnswer.Nodes[0].Down = text
		rec.SharesAnswer.Accounts[0].Words = text
		rec.SharesAnswer.Users = []api.UserShare{{Name: text, Account: text}}
		rec.ChangesAnswer.Changes[0].User, rec.ChangesAnswer.Changes[0].Edit.Why = text, text
		h := newHandler(rec)
		for _, path := range []string{"queue", "nodes", "shares", "changes", "estimates", "queue?user=" + strings.NewReplacer("<", "%3C", ">", "%3E", `"`, "%22", "\x1b", "%1b", " ", "+", "'", "%27").Replace(text)} {
			body := get(t, h, path).Body.String()
			for _, live := range []string{"<script>alert", "<img", "\x1b", "\u202e", `href="javascript`, "</bdi></td></bdi>", "' onfocus='"} {
				if strings.Contains(body, live) {
					t.Errorf("%s: %q is on the page as %q", path, text, live)
				}
			}
		}
	}
}

// TestHeaders wants on every answer, errors and files too, what keeps a browser from harm.
func TestHeaders(t *testing.T) {
	h := newHandler(readDemo(t))
	for _, path := range []string{"queue", "jobs/none", "nothing", "assets/page.css", "assets/none", "assets/..%2Fhandler.go"} {
		header := get(t, h, path).Header()
		for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Cache-Control": "no-store", "Content-Security-Policy": "frame-ancestors 'none'", "Referrer-Policy": "same-origin"} {
			if !strings.Contains(header.Get(name), want) {
				t.Errorf("%s: header %s is %q, not %q", path, name, header.Get(name), want)
			}
		}
		if strings.Contains(header.Get("Content-Security-Policy"), "unsafe") {
			t.Errorf("%s: the policy of content allows what is unsafe", path)
		}
	}
}

// TestErrors are pages with the status of the error, and what to try.
func TestErrors(t *testing.T) {
	h := newHandler(readDemo(t))
	for path, want := range map[string]int{"jobs/none": 404, "queue?after=x": 400, "changes?since=yesterday": 400, "changes?after=-1": 400} {
		w := get(t, h, path)
		if w.Code != want || !strings.Contains(w.Body.String(), `role="alert"`) || !strings.Contains(w.Body.String(), "Try: ") {
			t.Errorf("%s: status %d, want %d with a word of what to try", path, w.Code, want)
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, page.Prefix+"undo", strings.NewReader("change=1&why=x")))
	if w.Code != http.StatusForbidden {
		t.Errorf("undo where one may only read: status %d", w.Code)
	}
}

var nextLink = regexp.MustCompile(`href="\?([^"]*)">Next page`)

// TestLongQueues makes a page of a long queue in less than 200 ms of this processor.
func TestLongQueues(t *testing.T) {
	const most = 200 * time.Millisecond
	for _, jobs := range []int{10_000, 100_000} {
		h := newHandler(longQueue(t, jobs))
		least := time.Hour
		for range 5 {
			before := processorTime(t)
			if w := get(t, h, "queue"); !strings.Contains(w.Body.String(), fmt.Sprint(jobs, " jobs match")) || !strings.Contains(w.Body.String(), "Next page") {
				t.Fatal("the page does not tell of all jobs and the next page")
			}
			least = min(least, processorTime(t)-before)
		}
		t.Logf("a page of a queue of %d jobs took %v of the processor", jobs, least)
		if least > most && !testing.Short() { // the race detector, which runs short tests, is several times as slow
			t.Errorf("a page of a queue of %d jobs took %v of the processor, more than %v", jobs, least, most)
		}
	}
}

// longQueue is a recording of a queue of so many jobs of one user.
func longQueue(t *testing.T, jobs int) *recording.Recording {
	t.Helper()
	rec := readDemo(t)
	rec.QueueAnswer.Jobs = nil
	for i := range jobs {
		rec.QueueAnswer.Jobs = append(rec.QueueAnswer.Jobs, api.QueueJob{Address: fmt.Sprint(i), QueueRow: journal.QueueRow{Rank: i, Name: "training", User: "ann", State: "PENDING", Why: "waits: needs 8 GPUs on one node, none is free"}})
	}
	return rec
}

// TestNextPages follows the links from page to page through all of a filtered queue.
func TestNextPages(t *testing.T) {
	h := newHandler(longQueue(t, 1000))
	seen, path := 0, "queue?user=ann%2Ccarol"
	for range 10 {
		body := get(t, h, path).Body.String()
		seen += strings.Count(body, "<bdi>training</bdi>")
		link := nextLink.FindStringSubmatch(body)
		if link == nil {
			break
		}
		if path = "queue?" + html.UnescapeString(link[1]); !strings.Contains(path, "user=ann%2Ccarol") {
			t.Fatalf("the next page is of another queue: %s", path)
		}
	}
	if seen != 1000 {
		t.Errorf("the pages lead to %d of 1000 jobs", seen)
	}
}

// processorTime is what this process has used.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
