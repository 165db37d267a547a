package slurmtest

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/rest"
	"fairbridge/bridge/slurm/writer"
	"fairbridge/replica/sim"
)

// joinUp connects the product's reader and writer to a server.
func joinUp(t *testing.T, s *Server) (*rest.Client, *writer.Writer) {
	t.Helper()
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte(sign(t, "k", "rest", time.Now().Add(time.Hour))), 0o600); err != nil {
		t.Fatal(err)
	}
	client, err := rest.Open(context.Background(), rest.Config{URL: s.URL(), TokenFile: token, User: "rest"}, rest.PollConfig{})
	if err != nil {
		t.Fatal(err)
	}
	return client, writer.New(client, writer.Config{CheckMayWrite: func(context.Context) error { return nil }, LeaseMax: 24 * time.Hour})
}

// TestClientSeesWhatDirectSees puts the product's client and the in-process
// shortcut before the same world, on each release.
func TestClientSeesWhatDirectSees(t *testing.T) {
	for _, release := range []string{"22.05.8", "24.11.5", "26.05.5"} {
		s := like(t, release)
		client, _ := joinUp(t, s)
		for range 3 { // the second and third polls are incremental where they can be
			got, err := client.Observe(context.Background())
			if err != nil {
				t.Fatalf("%s: %v", release, err)
			}
			var want *slurm.View
			s.WithWorld(func(w *sim.World) { want, _ = sim.DirectCluster{World: w}.Observe(context.Background()) })
			slices.SortFunc(want.Jobs, func(a, b slurm.Job) int { return cmp.Compare(a.ID, b.ID) })
			for i := range want.Jobs {
				forget(&want.Jobs[i], map[string]int{"22.05.8": 38, "24.11.5": 42, "26.05.5": 45}[release])
			}
			if diff := gocmp.Diff(want.Jobs, got.Jobs, gocmp.Transformer("utc", time.Time.UTC)); diff != "" {
				t.Errorf("%s: direct (-), client (+):\n%s", release, diff)
			}
			for i := range want.Jobs {
				if alone, err := client.PeekJob(context.Background(), want.Jobs[i].ID); err == nil && want.Jobs[i].ArrayJobID == 0 {
					if diff := gocmp.Diff(want.Jobs[i], alone, gocmp.Transformer("utc", time.Time.UTC)); diff != "" {
						t.Errorf("%s: direct (-), read alone (+):\n%s", release, diff)
					}
				}
			}
			if !got.At.Equal(want.At) || got.Release != want.Release || len(got.Nodes) != len(want.Nodes) {
				t.Errorf("%s: %v %s %d nodes", release, got.At, got.Release, len(got.Nodes))
			}
			advance(s, 7*time.Minute)
		}
	}
}

// TestDoorAndDirectDoTheSame applies the same edits to twin worlds, one
// through the product's writer and HTTP, the other in process.
func TestDoorAndDirectDoTheSame(t *testing.T) {
	for _, release := range []string{"22.05.8", "24.11.5", "26.05.5"} {
		s, twin := start(t, release, fromNow), start(t, release, fromNow)
		client, d := joinUp(t, s)
		for _, x := range []*Server{s, twin} {
			submit(t, x, sim.JobSpec{})
			submit(t, x, sim.JobSpec{MinNodes: 2, Nice: 5})
			submit(t, x, sim.JobSpec{Hold: true})
			advance(x, 10*time.Second)
		}
		v, err := client.Observe(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		runs, waits, held := v.Job(1).CurrentRun(), v.Job(2).CurrentRun(), v.Job(3).CurrentRun()
		edits := []slurm.Edit{
			{Run: waits, Kind: slurm.EditNice, Value: 20, Tasks: 1},
			{Run: waits, Kind: slurm.EditSiteFactor, Value: 700, Tasks: 1},
			{Run: waits, Kind: slurm.EditLease, Until: v.At.Add(10 * time.Minute), Tasks: 1},
			{Run: waits, Kind: slurm.EditExcludeNodes, Nodes: []string{"n1"}, Tasks: 1},
			{Run: waits, Kind: slurm.EditExcludeNodes, Tasks: 1},
			{Run: held, Kind: slurm.EditPriority, Value: 5_000, Tasks: 1},
			{Run: waits, Kind: slurm.EditPriority, Value: 5_000, Tasks: 1},
			{Run: waits, Kind: slurm.EditUnlease, Until: v.At, Tasks: 1},
			{Run: runs, Kind: slurm.EditRequeue, Tasks: 1},
		}
		for _, e := range edits {
			if release != "26.05.5" && e.Kind == slurm.EditRequeue || release == "22.05.8" && e.Kind == slurm.EditSiteFactor {
				continue // by scontrol there
			}
			over := d.ApplyEdit(context.Background(), e)
			var direct error
			twin.WithWorld(func(w *sim.World) {
				e.Run.SLUID = "" // the twin gives out the same ones, but releases without a fence do not send it
				direct = sim.DirectCluster{World: w}.ApplyEdit(context.Background(), e)
			})
			if classOf(over) != classOf(direct) {
				t.Errorf("%s: %v: through the writer %v, directly %v", release, e, over, direct)
			}
		}
		for id := int64(1); id <= 3; id++ {
			a, b := job(t, s, id), job(t, twin, id)
			if diff := gocmp.Diff(b, a); diff != "" {
				t.Errorf("%s: job %d: direct (-), writer (+):\n%s", release, id, diff)
			}
		}
	}
}

// fromNow puts the world near the present, which the writer's own clock checks.
func fromNow(c *Config) {
	w, err := sim.New(sim.Config{Seed: 1, Release: c.World.Version(), Nodes: sim.UniformNodes(2, "a100", 8), Start: time.Now().Truncate(time.Second),
		Users: []sim.User{{Name: "rest", IsOperator: true}}})
	if err != nil {
		panic(err)
	}
	c.World = w
}

func classOf(err error) slurm.ErrorClass {
	var e *slurm.Error
	if errors.As(err, &e) {
		return e.Class
	}
	if err != nil {
		return "other: " + slurm.ErrorClass(err.Error())
	}
	return ""
}

// TestClientSeesTasksOfArrays: tasks that leave their array between two full
// lists are seen.
func TestClientSeesTasksOfArrays(t *testing.T) {
	w, err := sim.New(sim.Config{
		Nodes: sim.UniformNodes(2, "a100", 8), Start: time.Now(), MinPassInterval: time.Second, Users: []sim.User{{Name: "rest", IsOperator: true}},
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := Start(Config{World: w, SigningKey: []byte("k")})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	client, _ := joinUp(t, s)
	submit := func(work time.Duration, tasks int) {
		s.WithWorld(func(w *sim.World) {
			if _, err := w.Submit(sim.JobSpec{User: "u", GPUsPerNode: 1, TimeLimit: time.Hour, WorkTime: work, ArraySize: tasks}); err != nil {
				t.Fatal(err)
			}
		})
	}
	for range 20 { // so that a few changes are read one by one
		submit(2*time.Minute, 0)
	}
	submit(20*time.Second, 8)
	seen := map[int64]bool{}
	for range 120 {
		s.WithWorld(func(w *sim.World) { w.Advance(w.Now().Add(2 * time.Second)) })
		v, err := client.Observe(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for i := range v.Jobs {
			if j := &v.Jobs[i]; j.IsArrayTask {
				seen[j.ArrayTaskID] = true
			}
		}
	}
	if len(seen) != 8 {
		t.Errorf("saw %d of 8 tasks: %v", len(seen), seen)
	}
}
