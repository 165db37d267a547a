package slurmtest

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"fairbridge/bridge/slurm/live"
	"fairbridge/bridge/slurm/rest"
	"fairbridge/bridge/slurm/writer"
	"fairbridge/replica/sim"
)

// TestOldReleasesShowNiceBeforeAWrite: 22.05 shows a nice by REST only above 0.
// Right before a write, and in the first minutes, scontrol shows what stands; without it nobody knows.
func TestOldReleasesShowNiceBeforeAWrite(t *testing.T) {
	for release, old := range map[string]bool{"22.05.8": true, "24.11.5": false} {
		s := start(t, release)
		id := submit(t, s, sim.JobSpec{User: "alice", GPUs: 1, Hold: true})
		s.WithWorld(func(w *sim.World) {
			if err := w.Update(sim.OperatorUser, id, sim.JobUpdate{Nice: sim.Ptr(int64(-500))}); err != nil {
				t.Fatal(err)
			}
		})
		record, status := s.RunScontrol("slurm", "show", "job", "1")
		if status != 0 {
			t.Fatal(record)
		}
		file := filepath.Join(t.TempDir(), "record")
		if err := os.WriteFile(file, []byte(record), 0o600); err != nil {
			t.Fatal(err)
		}
		for scontrol, known := range map[string]bool{"cat": true, "false": !old} {
			l := connect(t, s, []string{"sh", "-c", scontrol + " " + file})
			v, err := l.Observe(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			listed := v.Job(id)
			if listed.IsNiceKnown != known || known && listed.Nice != -500 || !v.RereadShowsNice {
				t.Errorf("%s with scontrol %q: the first list knows nice %d %v, read before writes %v", release, scontrol, listed.Nice, listed.IsNiceKnown, v.RereadShowsNice)
			}
			advance(s, 6*time.Minute)
			if v, err = l.Observe(t.Context()); err != nil || v.Job(id).IsNiceKnown == old {
				t.Errorf("%s: a list six minutes later: %v, it knows nice %v", release, err, v.Job(id).IsNiceKnown)
			}
			l.RequestFullRead()
			if v, err = l.Observe(t.Context()); err != nil {
				t.Fatal(err)
			}
			if asked := v.Job(id); asked.IsNiceKnown != known || known && asked.Nice != -500 {
				t.Errorf("%s with scontrol %q: a list that was asked for has nice %d", release, scontrol, asked.Nice)
			}
			j, err := l.RereadJob(t.Context(), id)
			if err != nil || j.IsNiceKnown != known || known && j.Nice != -500 {
				t.Errorf("%s with scontrol %q: nice %d known %v, %v", release, scontrol, j.Nice, j.IsNiceKnown, err)
			}
		}
	}
}

// connect opens a live cluster on the server, with this for scontrol.
func connect(t *testing.T, s *Server, scontrol []string) *live.Cluster {
	t.Helper()
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte(sign(t, "k", "rest", time.Now().Add(time.Hour))), 0o600); err != nil {
		t.Fatal(err)
	}
	client, err := rest.Open(t.Context(), rest.Config{URL: s.URL(), TokenFile: token, User: "rest"}, rest.PollConfig{})
	if err != nil {
		t.Fatal(err)
	}
	return live.New(client, writer.New(client, writer.Config{CheckMayWrite: func(context.Context) error { return nil }, Scontrol: scontrol}))
}
