package writer_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/rest"
	"fairbridge/bridge/slurm/writer"
	"fairbridge/gear/slurmtest"
	"fairbridge/replica/sim"
)

// TestACancelledWriteIsNeverCalledUndone gives writes up at every moment of
// their way. Whatever arrived must not be reported as certainly not done.
func TestACancelledWriteIsNeverCalledUndone(t *testing.T) {
	w, err := sim.New(sim.Config{Users: []sim.User{{Name: "oper", IsOperator: true}}, Nodes: sim.UniformNodes(1, "a100", 8), Start: time.Now(), BackfillInterval: -1})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := w.Submit(sim.JobSpec{GPUs: 8, WorkTime: time.Hour, TimeLimit: time.Hour}); err != nil {
			t.Fatal(err)
		}
	}
	key := filepath.Join(t.TempDir(), "jwt.key")
	if err := os.WriteFile(key, []byte(strings.Repeat("k", 32)), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := slurmtest.Start(slurmtest.Config{World: w, SigningKey: []byte(strings.Repeat("k", 32))})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	client, err := rest.Open(t.Context(), rest.Config{URL: s.URL(), KeyFile: key, User: "oper"}, rest.PollConfig{})
	if err != nil {
		t.Fatal(err)
	}
	d := writer.New(client, writer.Config{CheckMayWrite: func(context.Context) error { return nil }, Rate: 1e6})
	job, err := client.RereadJob(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	chance := rand.New(rand.NewPCG(1, 2))
	sure := 0
	for i := range 2000 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(chance.IntN(1500))*time.Microsecond)
		err := d.ApplyEdit(ctx, slurm.Edit{Run: job.CurrentRun(), Kind: slurm.EditNice, Value: int64(i) + 1, Tasks: 1})
		cancel()
		var e *slurm.Error
		if err == nil && !arrived(s, i+1) {
			t.Fatalf("a write Slurm said yes to is not among those that arrived, the last of which is %+v", s.Calls()[len(s.Calls())-1])
		}
		if err == nil || !errors.As(err, &e) || e.Class == slurm.ErrorOutcomeUnknown {
			continue
		}
		sure++
		time.Sleep(time.Millisecond)
		if arrived(s, i+1) {
			t.Fatalf("reported as %v, but it arrived", err)
		}
	}
	t.Logf("%d of 2000 were certainly not sent", sure)
}

// arrived reports whether a write of this nice reached the server.
func arrived(s *slurmtest.Server, nice int) bool {
	return slices.ContainsFunc(s.Calls(), func(c slurmtest.Call) bool {
		return c.IsWrite && strings.HasPrefix(c.Body, fmt.Sprintf(`{"nice":%d,`, nice))
	})
}
