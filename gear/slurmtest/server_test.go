package slurmtest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"testing"
	"time"

	"fairbridge/replica/sim"
)

// start makes a world of two nodes and a server of the release in front of it.
func start(t *testing.T, release string, change ...func(*Config)) *Server {
	t.Helper()
	w, err := sim.New(sim.Config{Seed: 1, Release: release, Nodes: sim.UniformNodes(2, "a100", 8)})
	if err != nil {
		t.Fatal(err)
	}
	c := Config{World: w}
	for _, f := range change {
		f(&c)
	}
	s, err := Start(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// answer is what came back.
type answer struct {
	status int
	body   []byte
	doc    map[string]any
	header http.Header
}

// number returns the error_number of the first error, 0 without one.
func (a answer) number() int {
	list, _ := a.doc["errors"].([]any)
	if len(list) == 0 {
		return 0
	}
	n, _ := list[0].(map[string]any)["error_number"].(float64)
	return int(n)
}

func call(t *testing.T, s *Server, method, path, body string, header ...string) answer {
	t.Helper()
	a, err := try(s, method, path, body, header...)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func try(s *Server, method, path, body string, header ...string) (answer, error) {
	req, err := http.NewRequest(method, s.URL()+path, bytes.NewReader([]byte(body)))
	if err != nil {
		return answer{}, err
	}
	req.Header.Set("X-SLURM-USER-TOKEN", "t")
	req.Header.Set("X-SLURM-USER-NAME", "slurm")
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	a := parsed(res.StatusCode, b)
	a.header = res.Header
	return a, err
}

func parsed(status int, body []byte) answer {
	a := answer{status: status, body: body}
	_ = json.Unmarshal(body, &a.doc) // what is no JSON has no doc
	return a
}

func submit(t *testing.T, s *Server, spec sim.JobSpec) (id int64) {
	t.Helper()
	if spec.WorkTime == 0 {
		spec.WorkTime = time.Hour
	}
	if spec.GPUsPerNode == 0 && spec.GPUs == 0 {
		spec.GPUsPerNode = 8
	}
	if spec.TimeLimit == 0 {
		spec.TimeLimit = 2 * time.Hour
	}
	s.WithWorld(func(w *sim.World) {
		var err error
		if id, err = w.Submit(spec); err != nil {
			t.Fatal(err)
		}
	})
	return id
}

func advance(s *Server, d time.Duration) {
	s.WithWorld(func(w *sim.World) { w.Advance(w.Now().Add(d)) })
}

func path(v int, tail string) string { return "/slurm/v0.0." + strconv.Itoa(v) + "/" + tail }

func TestListsAndUpdates(t *testing.T) {
	s := start(t, "26.05.5")
	id := submit(t, s, sim.JobSpec{})
	a := call(t, s, "GET", path(45, "jobs/"), "")
	jobs, _ := a.doc["jobs"].([]any)
	if a.status != 200 || len(jobs) != 1 || jobs[0].(map[string]any)["job_id"].(float64) != float64(id) {
		t.Fatalf("%d %s", a.status, a.body)
	}
	a = call(t, s, "POST", path(45, "job/1"), `{"nice":100}`)
	if a.status != 200 || a.number() != 0 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	s.WithWorld(func(w *sim.World) {
		if j, _ := w.Job(id); j.Nice != 100 {
			t.Errorf("nice %d", j.Nice)
		}
	})
	if c := s.CallCounts(); c != (CallCounts{Reads: 1, Writes: 1}) {
		t.Errorf("%+v", c)
	}
}
