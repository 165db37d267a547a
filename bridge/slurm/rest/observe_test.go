package rest

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"fairbridge/bridge/slurm"
	"fairbridge/gear/bridgetest"
)

// queue is a slurmrestd with a job table that tests change.
type queue struct {
	mu            sync.Mutex
	version       int
	jobs          map[int64]string // id → state; of "" only job/ID knows
	hidden, short map[int64]bool   // left out of jobs/state/, and of all lists
	noParts       bool             // the partitions cannot be read
	node          func() (status int, body string)
	now           int64
	calls         []string
	aside         string           // the reservations; fail: reading them does
	reason        map[int64]string // state_reason
}

const epoch = 1795225300

func (q *queue) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q.mu.Lock()
	defer q.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	if r.URL.Path == "/openapi/v3" {
		fmt.Fprintf(w, `{"paths":{"/slurm/v0.0.%d/jobs":{}}}`, q.version)
		return
	}
	path, ok := strings.CutPrefix(r.URL.Path, fmt.Sprintf("/slurm/v0.0.%d/", q.version))
	if !ok {
		w.Header().Set("Content-Type", "text/plain")
		w.WriteHeader(404)
		return
	}
	if r.URL.Query().Has("update_time") { // Slurm 26.05 before 26.05.3 answers so for nodes: no list is asked for by it
		w.WriteHeader(500)
		return
	}
	q.calls = append(q.calls, path)
	q.answer(w, path)
}

func (q *queue) answer(w http.ResponseWriter, path string) {
	const end = `"errors":[],"warnings":[],"meta":{"slurm":{"cluster":"lab","release":"26.05.5"}}}`
	var items []string
	var id int64
	switch n, _ := fmt.Sscanf(path, "job/%d", &id); {
	case n == 1 && q.jobs[id] == "":
		w.WriteHeader(404)
		fmt.Fprint(w, `{"jobs":[],"errors":[{"error_number":2017,"error":"Invalid job id specified"}]}`)
		return
	case n == 1:
		fmt.Fprintf(w, `{"jobs":[%s],`+end, q.record(id))
	case path == "jobs":
		for id := range q.jobs {
			if !q.short[id] {
				items = append(items, q.record(id))
			}
		}
		fmt.Fprintf(w, `{"jobs":[%s],`+end, strings.Join(items, ","))
	case path == "jobs/state/":
		for id, st := range q.jobs {
			if !q.hidden[id] && !q.short[id] {
				items = append(items, fmt.Sprintf(`{"job_id":"%d","state":["%s"]}`, id, st))
			}
		}
		fmt.Fprintf(w, `{"jobs":[%s],`+end, strings.Join(items, ","))
	case path == "diag":
		fmt.Fprintf(w, `{"statistics":{"req_time":{"set":true,"infinite":false,"number":%d},"req_time_start":{"set":true,"infinite":false,"number":%d}},`+end, epoch+q.now, epoch)
	case strings.HasPrefix(path, "node/"):
		status, body := q.node()
		if !strings.HasPrefix(body, "{") {
			w.Header().Set("Content-Type", "text/plain")
		}
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	case path == "reservations" && q.aside != "fail":
		fmt.Fprintf(w, `{"reservations":[%s],`+end, q.aside)
	case path == "reservations":
		http.Error(w, `{"errors":[{"error_number":-1,"error":"Unspecified error"}]}`, 500)
	case path == "nodes":
		fmt.Fprint(w, `{"nodes":[{"name":"n2","state":["IDLE"]},{"name":"n1","state":["IDLE"]}],`+end)
	case q.noParts:
		w.WriteHeader(500)
		fmt.Fprint(w, `{"partitions":[],"errors":[{"error_number":7000,"error":"Unable to connect to database","source":"slurmdb_tres_get"}]}`)
	default:
		fmt.Fprint(w, `{"partitions":[{"name":"gpu"}],`+end)
	}
}

func (q *queue) record(id int64) string {
	return fmt.Sprintf(`{"job_id":%d,"name":"j","user_name":"alice","user_id":1001,"account":"a","partition":"gpu","job_state":["%s"],"state_reason":"%s",
		"priority":{"set":true,"infinite":false,"number":5},"submit_time":{"set":true,"infinite":false,"number":%d},"restart_cnt":0,
		"tres_req_str":"cpu=1,gres/gpu=1","node_count":{"set":true,"infinite":false,"number":1}}`, id, q.jobs[id], q.reason[id], epoch)
}

// took returns and forgets the calls since the last time.
func (q *queue) took() []string {
	q.mu.Lock()
	defer q.mu.Unlock()
	c := q.calls
	q.calls = nil
	return c
}

func (q *queue) set(change func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	change()
}

func open(t testing.TB, q *queue, p PollConfig) *Client {
	t.Helper()
	srv := httptest.NewServer(q)
	t.Cleanup(srv.Close)
	c, err := Open(t.Context(), Config{URL: srv.URL, TokenFile: bridgetest.NewTokenFile(t, "fairbridge"), Timeout: 5 * time.Second}, p)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func observe(t testing.TB, c *Client) *slurm.View {
	t.Helper()
	v, err := c.Observe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func states(v *slurm.View) map[int64]string {
	m := map[int64]string{}
	for _, j := range v.Jobs {
		m[j.ID] = j.State
	}
	return m
}

func TestPollReadsWhatChanged(t *testing.T) {
	q := &queue{version: 45, jobs: map[int64]string{}, hidden: map[int64]bool{}}
	for id := int64(1); id <= 20; id++ {
		q.jobs[id] = "PENDING"
	}
	c := open(t, q, PollConfig{})
	const full = "diag nodes partitions reservations jobs/state/ jobs"
	const same = "diag nodes partitions reservations jobs/state/"
	for _, step := range []struct {
		name   string
		change func()
		want   string
	}{
		{"first", func() {}, full},
		{"nothing", func() {}, same},
		{"one starts", func() { q.jobs[3] = "RUNNING" }, same + " job/3"},
		{"one is new", func() { q.jobs[21] = "PENDING" }, same + " job/21"},
		{"changed by us", func() { c.MarkStale(7, nil) }, same + " job/7"},
		{"once more", func() {}, same + " job/7"},
		{"and again", func() {}, same + " job/7"},
		{"enough", func() {}, same},
		{"one ends", func() { q.jobs[3] = "COMPLETED" }, same + " job/3"},
		{"and is forgotten", func() { delete(q.jobs, 3) }, same},
		{"one is purged unseen", func() { delete(q.jobs, 4) }, same + " job/4"},
		{"one is not listed", func() { q.hidden[5] = true }, same + " job/5"},
		{"many start", func() {
			for id := int64(6); id <= 20; id++ {
				q.jobs[id] = "RUNNING"
			}
		}, full},
		{"five minutes on", func() { q.now += 300 }, full},
		{"slurmctld's clock goes back", func() { q.now -= 100 }, full},
	} {
		q.set(step.change)
		v := observe(t, c)
		if got := strings.Join(q.took(), " "); got != step.want {
			t.Errorf("%s: read %s, want %s", step.name, got, step.want)
		}
		if diff := cmp.Diff(q.jobs, states(v)); diff != "" {
			t.Errorf("%s: %s", step.name, diff)
		}
		if v.Nodes[0].Name != "n1" || v.APIVersion != "v0.0.45" || v.Release != "26.05.5" || v.IsFullRead != (step.want == full) || v.At.Unix() != epoch+q.now {
			t.Errorf("%s: %+v", step.name, v)
		}
	}
}

// Whatever the queue does between polls, little reading shows the same as
// reading everything.
func TestPollEqualsFullList(t *testing.T) {
	q := &queue{version: 45}
	c := open(t, q, PollConfig{Few: 5, FewPercent: 50})
	rapid.Check(t, func(rt *rapid.T) {
		q.set(func() { q.jobs, q.hidden = map[int64]string{}, map[int64]bool{}; q.now += 1000 })
		for range rapid.IntRange(1, 10).Draw(rt, "polls") {
			for range rapid.IntRange(0, 6).Draw(rt, "changes") {
				id := rapid.Int64Range(1, 12).Draw(rt, "id")
				state := rapid.SampledFrom([]string{"PENDING", "RUNNING", "COMPLETED", ""}).Draw(rt, "state")
				q.set(func() {
					q.jobs[id] = state
					if state == "" {
						delete(q.jobs, id)
					}
					q.hidden[id] = rapid.Bool().Draw(rt, "hidden") && state != "COMPLETED"
				})
			}
			v, err := c.Observe(t.Context())
			if err != nil {
				rt.Fatal(err)
			}
			want := map[int64]string{}
			for id, st := range q.jobs {
				if _, listed := v.Jobs, !q.hidden[id]; listed || v.Job(id) != nil {
					want[id] = st
				}
			}
			if diff := cmp.Diff(want, states(v)); diff != "" {
				rt.Fatal(diff)
			}
		}
	})
}

func TestVersionChangesUnderUs(t *testing.T) {
	q := &queue{version: 42, jobs: map[int64]string{1: "PENDING"}}
	c := open(t, q, PollConfig{})
	observe(t, c)
	q.set(func() { q.version = 45 })
	if v := observe(t, c); v.APIVersion != "v0.0.45" || len(v.Jobs) != 1 || !c.API().CanRequeue {
		t.Errorf("%+v", v)
	}
	q.set(func() { q.version = 30 })
	if _, err := c.Observe(t.Context()); err == nil || !strings.Contains(err.Error(), "v0.0.30") {
		t.Error(err)
	}
}

func TestOldReleasesReadTheWholeList(t *testing.T) {
	q := &queue{version: 39, jobs: map[int64]string{1: "PENDING"}}
	c := open(t, q, PollConfig{})
	for range 2 {
		v := observe(t, c)
		if got := strings.Join(q.took(), " "); got != "diag nodes partitions reservations jobs" || !v.IsFullRead {
			t.Error(got)
		}
	}
}

func TestStatesOfAnUnknownForm(t *testing.T) {
	q := &queue{version: 45, jobs: map[int64]string{1: "PENDING", 2: "NEWSTATE"}}
	c := open(t, q, PollConfig{})
	for range 2 {
		v := observe(t, c)
		if !v.IsFullRead || len(v.Jobs) != 2 || len(v.Warnings) != 1 || !strings.Contains(v.Warnings[0], `job state "2"`) {
			t.Errorf("full %v, %d jobs, %q", v.IsFullRead, len(v.Jobs), v.Warnings)
		}
	}
}

func TestRereadOfNoJob(t *testing.T) {
	c := open(t, &queue{version: 45}, PollConfig{})
	_, err := c.RereadJob(t.Context(), 9)
	var e *slurm.Error
	if !errors.As(err, &e) || e.Class != slurm.ErrorJobGone {
		t.Error(err)
	}
}

// TestAJobWithoutAnAnswerIsReadForMinutes: the call may be carried out until then, over what its owner set meanwhile.
func TestAJobWithoutAnAnswerIsReadForMinutes(t *testing.T) {
	for _, c := range []struct {
		answer error
		polls  int
	}{{nil, 3}, {&slurm.Error{Class: slurm.ErrorForbidden}, 3}, {&slurm.Error{Class: slurm.ErrorOutcomeUnknown}, 10}} {
		q := &queue{version: 45, jobs: map[int64]string{7: "PENDING"}, hidden: map[int64]bool{}}
		client := open(t, q, PollConfig{})
		observe(t, client)
		client.MarkStale(7, c.answer)
		reads := 0
		for range 15 {
			if observe(t, client).IsFresh(7) {
				reads++
			}
		}
		if reads != c.polls {
			t.Errorf("after %v it was read in %d polls, want %d", c.answer, reads, c.polls)
		}
	}
}
