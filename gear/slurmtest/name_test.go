package slurmtest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fairbridge/bridge/slurm/live"
	"fairbridge/bridge/slurm/rest"
	"fairbridge/bridge/slurm/scontrol"
	"fairbridge/bridge/slurm/writer"
	"fairbridge/replica/sim"
)

// fakeScontrol makes a program that prints what the server's scontrol prints now
// of its settings and of jobs 1 to n, and fails for everything else.
func fakeScontrol(t *testing.T, s *Server, n int) scontrol.Command {
	t.Helper()
	folder := t.TempDir()
	save := func(args ...string) {
		if out, status := s.RunScontrol("slurm", args...); status == 0 {
			if err := os.WriteFile(filepath.Join(folder, strings.Join(args, " ")), []byte(out), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	save("show", "config")
	for id := range n {
		save("show", "job", fmt.Sprint(id+1))
	}
	return scontrol.Command{"sh", "-c", `echo run >> "$0/runs"; cat "$0/$*"`, folder}
}

// runs is how often the program was run.
func runs(t *testing.T, c scontrol.Command) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(c[len(c)-1], "runs"))
	if err != nil {
		return 0
	}
	return strings.Count(string(text), "\n")
}

// old is a slurmrestd that does not tell whose it is, with n jobs submitted at the
// time.
func old(t *testing.T, cluster string, at time.Time, n int) *Server {
	t.Helper()
	w, err := sim.New(sim.Config{Release: "22.05.8", ClusterName: cluster, Start: at.Add(-time.Hour), Nodes: sim.UniformNodes(1, "a100", 8),
		Users: []sim.User{{Name: "rest", IsOperator: true}}, Partitions: []sim.Partition{{Name: "gpu", MaxTime: 24 * time.Hour}}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := Start(Config{World: w})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	for i := range n {
		s.WithWorld(func(w *sim.World) { w.Advance(at.Add(time.Duration(i) * time.Second)) })
		submit(t, s, sim.JobSpec{User: "ann", GPUs: 8})
	}
	return s
}

func livePart(t *testing.T, s *Server, c scontrol.Command) *live.Cluster {
	t.Helper()
	client, err := rest.Open(t.Context(), rest.Config{URL: s.URL(), TokenFile: tokenFile(t), User: "rest"}, rest.PollConfig{})
	if err != nil {
		t.Fatal(err)
	}
	l := live.New(client, writer.New(client, writer.Config{Scontrol: c}))
	l.Scontrol = c
	return l
}

func tokenFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(path, []byte(sign(t, "k", "rest", time.Now().Add(time.Hour))), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestWhoseClusterItIs: where REST does not tell, a job that scontrol knows alike
// proves it, for some minutes.
func TestWhoseClusterItIs(t *testing.T) {
	at := time.Now().Truncate(time.Second)
	s := old(t, "lab", at, 5)
	good := fakeScontrol(t, s, 5)
	c := livePart(t, s, good)
	for range 3 {
		if v, err := c.Observe(t.Context()); err != nil || v.Cluster != "lab" || v.UnprovenClusterReason != "" {
			t.Fatalf("%v %+v", err, v)
		}
	}
	if n := runs(t, good); n != 6 {
		t.Errorf("scontrol was run %d times for three polls, want 6: settings, switches, a job, and every job's nice three times", n)
	}
	advance(s, 6*time.Minute)
	if _, err := c.Observe(t.Context()); err != nil || runs(t, good) != 8 {
		t.Errorf("six minutes later: %v, %d runs", err, runs(t, good))
	}

	other := fakeScontrol(t, old(t, "elsewhere", at.Add(7*time.Second), 5), 5)
	if _, err := livePart(t, s, other).Observe(t.Context()); !errors.Is(err, scontrol.ErrOtherCluster) {
		t.Errorf("scontrol of another cluster: %v", err)
	}
	young := fakeScontrol(t, old(t, "lab", at, 0), 0)
	if v, err := livePart(t, s, young).Observe(t.Context()); err != nil || v.Cluster != "" || !strings.Contains(v.UnprovenClusterReason, "no job of slurmrestd's list") {
		t.Errorf("scontrol knows none of the jobs: %v %q %q", err, v.Cluster, v.UnprovenClusterReason)
	}
	if v, err := livePart(t, s, scontrol.Command{"/nowhere/scontrol"}).Observe(t.Context()); err != nil || v.Cluster != "" || !strings.Contains(v.UnprovenClusterReason, "set slurm.scontrol") {
		t.Errorf("no scontrol: %v %q %q", err, v.Cluster, v.UnprovenClusterReason)
	}
	empty := old(t, "lab", at, 0)
	if v, err := livePart(t, empty, fakeScontrol(t, empty, 0)).Observe(t.Context()); err != nil || v.Cluster != "lab" || v.UnprovenClusterReason != "" {
		t.Errorf("no job to prove anything by: %v %+v", err, v)
	}
}
