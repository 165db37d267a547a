package loginnode

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"fairbridge/api"
	"fairbridge/api/page"
	"fairbridge/api/wire"
	"fairbridge/bridge"
	"fairbridge/replica/sim"
)

// TestUndoOnThePage: a daemon orders the queue, and what it wrote is undone by its page, as people would: through a link, a form and its
// question. Whoever may not, or is sent there by another site, changes nothing. What other policies would have done is shown there, too.
func TestUndoOnThePage(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a daemon on a host of its own; not with -short")
	}
	s := newStage(t, play{mode: "rank", interval: "2s", jobs: 60, more: "warmup: 1\n"})
	for _, part := range []struct {
		name string
		run  func(*testing.T)
	}{{"who may not", s.testUndoRefused}, {"by its forms", s.testUndoByForms}, {"in Chromium", s.testUndoInChromium}, {"before and after", s.testStudy}} {
		if !t.Run(part.name, func(t *testing.T) {
			before := s.t
			s.t = t
			defer func() { s.t = before }()
			part.run(t)
		}) {
			return
		}
	}
}

// asOperator asks the API as oper.
func asOperator[T any](s *stage, uri string) *T {
	s.t.Helper()
	out := new(T)
	a := s.ask(question{method: "GET", uri: uri, user: "oper"})
	if err := json.Unmarshal([]byte(a.text), out); err != nil || a.status != 200 {
		s.t.Fatalf("%s: %d %.300s %v", uri, a.status, a.text, err)
	}
	return out
}

// awaitNumber waits for a number that fairbridge gave a waiting job for its place, which stands in Slurm and which no operator undid.
func (s *stage) awaitNumber() *api.Change {
	s.t.Helper()
	var found *api.Change
	s.await("a waiting job has a number of ours", func() bool {
		undone := s.undone()
		for _, c := range asOperator[api.Changes](s, wire.ChangesPath+"?limit=1000").Changes {
			stands := c.State == bridge.IntentObserved && c.Edit.Value != 0 && s.siteFactor(c.Edit.Run.Job) == c.Edit.Value
			if stands && !slices.ContainsFunc(undone, func(a api.Action) bool { return a.Job == c.Address }) {
				found = &c
				return true
			}
		}
		return false
	})
	return found
}

// undone are the actions of operators.
func (s *stage) undone() []api.Action {
	s.t.Helper()
	return asOperator[api.Actions](s, wire.ActionsPath).Actions
}

// siteFactor is the number that stands in Slurm for a job's place.
func (s *stage) siteFactor(job int64) (factor int64) {
	s.t.Helper()
	s.slurm.WithWorld(func(w *sim.World) {
		v, err := sim.DirectCluster{World: w, ShowsSiteFactors: true}.Observe(s.t.Context())
		if err != nil {
			s.t.Fatal(err)
		}
		if j := v.Job(job); j != nil {
			factor = j.SiteFactor
		}
	})
	return factor
}

// mostLooks is how often is looked for something, with as much as a cycle takes between five looks.
const mostLooks = 500

// await looks again and again until something is so.
func (s *stage) await(what string, isSo func() bool) {
	s.t.Helper()
	for range mostLooks {
		if isSo() {
			return
		}
		time.Sleep(400 * time.Millisecond)
	}
	s.t.Fatalf("in %d looks it is not so that %s", mostLooks, what)
}

// testUndoRefused: without an operator's session, token and page nothing is told and nothing written.
func (s *stage) testUndoRefused(t *testing.T) {
	c := s.awaitNumber()
	oper, alice := s.openPage(t, "oper"), s.openPage(t, "alice")
	form := oper.findUndo(c.ID)
	if form == nil {
		t.Fatal("an operator has no form for the change")
	}
	form.values.Set("why", "an attack")
	if body := alice.get(page.Prefix + "changes").text; strings.Contains(body, "<form method=\"post\"") || strings.Contains(body, "bob") {
		t.Error("a plain user has a form, or sees what is of others")
	}
	with := func(change func(v url.Values)) url.Values {
		v := url.Values{}
		for name, values := range form.values {
			v[name] = slices.Clone(values)
		}
		change(v)
		return v
	}
	same := with(func(url.Values) {})
	for what, a := range map[string]answer{
		"no token":                  oper.post(form.action, with(func(v url.Values) { v.Del("csrf") }), nil),
		"a guessed token":           oper.post(form.action, with(func(v url.Values) { v.Set("csrf", strings.Repeat("A", len(v.Get("csrf")))) }), nil),
		"another's token":           oper.post(form.action, with(func(v url.Values) { v.Set("csrf", alice.cookie("__Host-fairbridge-csrf")) }), nil),
		"a foreign origin":          oper.post(form.action, same, map[string]string{"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}),
		"origin null":               oper.post(form.action, same, map[string]string{"Origin": "null"}),
		"a made-up confirmation":    oper.post(form.action, with(func(v url.Values) { v.Set("confirm", "yes") }), nil),
		"a plain user":              alice.post(form.action, with(func(v url.Values) { v.Set("csrf", alice.cookie("__Host-fairbridge-csrf")) }), nil),
		"a plain user, her form":    alice.post(form.action, same, nil),
		"no session":                s.newPage(t).post(form.action, same, nil),
		"no session, by an address": s.newPage(t).get(form.action + "?" + same.Encode()),
	} {
		if a.status < 400 || a.status >= 500 || strings.Contains(a.text, "It was done") || strings.Contains(a.text, "Do it") {
			t.Errorf("%s: status %d\n%.500s", what, a.status, a.text)
		}
	}
	if list := s.undone(); len(list) != 0 || s.siteFactor(c.Edit.Run.Job) == 0 {
		t.Errorf("something was done: %+v, and the number is %d", list, s.siteFactor(c.Edit.Run.Job))
	}
}

// testUndoByForms goes where a browser without script would.
func (s *stage) testUndoByForms(t *testing.T) {
	b, c := s.openPage(t, "oper"), s.awaitNumber()
	form := b.findUndo(c.ID)
	if form == nil {
		t.Fatal("an operator has no form for the change")
	}
	form.values.Set("why", "ticket <3>")
	asked := b.post(form.action, form.values, nil)
	if asked.status != http.StatusOK || !strings.Contains(asked.text, fmt.Sprintf("Change %d ", c.ID)) || len(s.undone()) != 0 {
		t.Fatalf("the question: %d\n%s", asked.status, asked.text)
	}
	sure := findForm(asked.text, func(f *pageForm) bool { return f.values.Get("confirm") != "" })
	if sure == nil {
		t.Fatalf("it does not ask whether one is sure:\n%s", asked.text)
	}
	if other := b.post(sure.action, sure.values, map[string]string{"Origin": "https://evil.example"}); other.status != http.StatusForbidden || len(s.undone()) != 0 {
		t.Errorf("the answer from another site: %d", other.status)
	}
	done := b.post(sure.action, sure.values, nil)
	if done.status != http.StatusOK || !strings.Contains(done.text, "It was done, as action 1.") {
		t.Fatalf("the answer: %d\n%s", done.status, done.text)
	}
	if again := b.post(sure.action, sure.values, nil); again.status != http.StatusConflict || strings.Contains(again.text, "It was done, as") {
		t.Errorf("the same answer again: %d\n%.500s", again.status, again.text)
	}
	s.checkUndone(t, b, c, 1, "ticket &lt;3&gt;")
}

// checkUndone: the action is recorded once, with its author; the number goes, stays gone, and the page tells of it.
func (s *stage) checkUndone(t *testing.T, b *pageBrowser, c *api.Change, count int, why string) {
	t.Helper()
	list := s.undone()
	if len(list) != count || list[0].By != "oper" || list[0].Origin != api.OriginBrowser || list[0].Change != c.ID || !list[0].Stands {
		t.Fatalf("recorded is %+v", list)
	}
	job := c.Edit.Run.Job
	s.await("the number is given back", func() bool { return s.siteFactor(job) == 0 })
	var back *api.Change
	s.await("the ledger has that", func() bool {
		for _, x := range asOperator[api.Changes](s, wire.ChangesPath+"?job="+c.Address).Changes {
			if x.ID > c.ID && x.Edit.Value == 0 && !x.State.IsOpen() {
				back = &x
				return true
			}
		}
		return false
	})
	t.Logf("change %d of job %s, %q, was undone by change %d, %q", c.ID, c.Address, c.Edit.Why, back.ID, back.Edit.Why)
	text := b.get(page.Prefix + "changes?job=" + c.Address).text
	for _, want := range []string{"<bdi>" + why + "</bdi>", "<bdi>oper</bdi> <small>browser</small>", fmt.Sprintf("Change %d ", c.ID)} {
		if !strings.Contains(text, want) {
			t.Errorf("the changes do not show %q:\n%s", want, text)
		}
	}
	if b.findUndo(c.ID) != nil || !strings.Contains(text, fmt.Sprintf("undone by <bdi>oper</bdi>, action %d<", count)) {
		t.Error("what was undone can be undone again, or it does not say by whom it was")
	}
	form := b.findUndo(back.ID)
	if form == nil {
		t.Fatal("the page does not have what gave the number back")
	}
	form.values.Set("why", "undo the undoing")
	if a := b.post(form.action, form.values, nil); a.status != http.StatusConflict || !strings.Contains(a.text, "it gave back a value of ours itself") {
		t.Errorf("undoing what gave the number back: %d %s", a.status, a.text)
	}
	cycles := asOperator[api.Queue](s, wire.QueuePath).Partitions[0].AsOf
	s.await("two more cycles ended", func() bool {
		return asOperator[api.Queue](s, wire.QueuePath).Partitions[0].AsOf.Sub(cycles) >= 4*time.Second
	})
	if f := s.siteFactor(job); f != 0 {
		t.Errorf("it has a number again, %d", f)
	}
}
