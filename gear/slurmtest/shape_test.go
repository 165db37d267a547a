package slurmtest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/replica/sim"
)

// samples are recordings of real slurmrestds, where they are at hand.
const samples = "../../../shared/slurm-samples"

// like fills a server with the same sorts of jobs that were recorded.
func like(t *testing.T, release string) *Server {
	w, err := sim.New(sim.Config{
		Release: release, Nodes: sim.UniformNodes(2, "a100", 8), ClusterName: "lab",
		Users:      []sim.User{{Name: "rest", IsOperator: true}},
		Partitions: []sim.Partition{{Name: "gpu", MaxTime: 168 * time.Hour}, {Name: "low", MaxTime: 168 * time.Hour}},
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := Start(Config{World: w})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	submit(t, s, sim.JobSpec{GPUsPerNode: 4, GPUType: "a100"})
	submit(t, s, sim.JobSpec{GPUsPerNode: 2, MinNodes: 2})
	submit(t, s, sim.JobSpec{GPUs: 1, MemMBPerNode: 4096})
	submit(t, s, sim.JobSpec{GPUsPerNode: 8, MinNodes: 2})
	submit(t, s, sim.JobSpec{GPUsPerNode: 1, ArraySize: 10, ArrayMaxRunning: 2, Hold: true})
	submit(t, s, sim.JobSpec{GPUs: 8, Dependency: "afterok:1"})
	advance(s, 2*time.Minute)
	return s
}

// TestShapesAreTheRecordedOnes compares every key and the type of its value,
// in all records, with those of recorded replies.
func TestShapesAreTheRecordedOnes(t *testing.T) {
	found, err := filepath.Glob(filepath.Join(samples, "*.json"))
	if err != nil || len(found) == 0 {
		t.Skip("no recorded replies at", samples)
	}
	servers := map[string]*Server{}
	for _, file := range found {
		release, rest, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".json"), "-v0.0.")
		var v int
		var kind string
		if _, err := fmt.Sscanf(strings.Replace(rest, "-", " ", 1), "%d %s", &v, &kind); err != nil || v < 38 {
			continue
		}
		end, ok := map[string]string{"jobs": "jobs/", "nodes": "nodes/", "partitions": "partitions/", "ping": "ping/", "jobs_state": "jobs/state/"}[kind]
		if !ok {
			continue
		}
		if servers[release] == nil {
			servers[release] = like(t, map[string]string{"22.05": "22.05.8", "24.11": "24.11.5", "26.05": "26.05.5"}[release])
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			a := call(t, servers[release], "GET", path(v, end), "")
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(shapeOf(t, want), shapeOf(t, a.body)); diff != "" {
				t.Errorf("recorded (-), ours (+):\n%s", diff)
			}
		})
	}
}

// loose are subtrees whose details are left out on purpose: the map of cores,
// and the flag words.
var loose = []string{".jobs[].job_resources"}

// shapeOf lists every path of a document with the types seen there. A type
// that may be null is told by its other type; an empty list by its being one.
func shapeOf(t *testing.T, doc []byte) []string {
	t.Helper()
	var v any
	if err := json.Unmarshal(doc, &v); err != nil {
		t.Fatalf("%v in %.200s", err, doc)
	}
	seen := map[string]map[string]bool{}
	walk(v, "", seen)
	var out []string
	for p, types := range seen {
		if len(types) > 1 {
			delete(types, "null")
		}
		if strings.HasSuffix(p, "[]") {
			continue // elements of lists that happen to be empty on one side
		}
		for k := range types {
			out = append(out, p+" "+k)
		}
	}
	slices.Sort(out)
	return out
}

func walk(v any, at string, seen map[string]map[string]bool) {
	kind := "null"
	switch x := v.(type) {
	case map[string]any:
		kind = "object"
		for k, e := range x {
			if !slices.Contains(loose, at) {
				walk(e, at+"."+k, seen)
			}
		}
	case []any:
		kind = "list"
		for _, e := range x {
			walk(e, at+"[]", seen)
		}
	case string:
		kind = "string"
	case float64:
		kind = "number"
	case bool:
		kind = "bool"
	}
	if seen[at] == nil {
		seen[at] = map[string]bool{}
	}
	seen[at][kind] = true
}
