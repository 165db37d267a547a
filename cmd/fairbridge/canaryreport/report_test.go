package canaryreport

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fairbridge/accounting"
	"fairbridge/accounting/pglocal/pgtest"
	"fairbridge/accounting/stores"
	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/cmd/internal/cli"
	"fairbridge/replica/sim"
	"fairbridge/scripts/verify/part"
)

// monday is the first day of what is recorded.
var monday = time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)

// configuration of a site with two canaries that decide on two drawn days a week each: one without
// backfill, and one with a parameter that makes no difference where no job may be stopped.
const configuration = `cluster: lab
slurm: {url: "http://127.0.0.1:1", key_file: key, user: fairbridge, scontrol: ["false"]}
database: {dsn_file: dsn}
interval: 15m
lease: {length: 20m}
warmup: 0
listen: ""
stop_file: STOP
partitions:
  - name: gpu
    mode: preempt
    canary: {policy: fifo, days_per_week: 2, seed: 1, since: 2026-03-02, until: 2026-03-29}
  - name: big
    mode: preempt
    canary: {params: {min_run: 3m}, days_per_week: 2, seed: 1, since: 2026-03-02, until: 2026-03-29}
`

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// newSite writes the configuration of a site with a database, and opens both.
func newSite(t *testing.T) (*cli.Options, *stores.Stores) {
	t.Helper()
	t.Chdir(t.TempDir())
	dsn := pgtest.NewFromTemplate(t, "canary", func(ctx context.Context, dsn string) error {
		db, err := stores.Open(ctx, accounting.Config{DSN: dsn})
		if err != nil {
			return err
		}
		defer db.Close()
		_, err = db.Migrate(ctx)
		return err
	})
	must(t, os.WriteFile("dsn", []byte(dsn), 0o600))
	must(t, os.WriteFile("key", []byte(strings.Repeat("k", 32)), 0o600))
	must(t, os.WriteFile("fairbridge.yaml", []byte(configuration), 0o600))
	db, err := stores.Open(t.Context(), accounting.Config{DSN: dsn})
	must(t, err)
	t.Cleanup(db.Close)
	path, err := filepath.Abs("fairbridge.yaml")
	must(t, err)
	return &cli.Options{ConfigPath: path}, db
}

// clockedHistory is a database with the clock of the simulated Slurm.
type clockedHistory struct {
	bridge.History
	now func() time.Time
}

func (c clockedHistory) Clock(context.Context) (time.Time, error) { return c.now(), nil }

// recorder is a daemon with the site's configuration beside a simulated Slurm, which keeps its record
// in the database.
type recorder struct {
	*sim.World
	*cycle.Loop
}

func newRecorder(t *testing.T, o *cli.Options, db *stores.Stores, days int) recorder {
	t.Helper()
	w, err := sim.New(sim.Config{
		ClusterName: "lab", Start: monday, Nodes: sim.UniformNodes(4, "a100", 4), MinJobAge: 15 * time.Minute, Seed: 1,
		Partitions: []sim.Partition{{Name: "gpu", MaxTime: 24 * time.Hour, Nodes: []string{"n1", "n2"}}, {Name: "big", MaxTime: 24 * time.Hour, Nodes: []string{"n3", "n4"}}},
	})
	must(t, err)
	submitDays(t, w, "gpu", days)
	submitDays(t, w, "big", days)
	file, err := o.LoadSettings()
	must(t, err)
	config, err := file.LoopConfig()
	must(t, err)
	l, err := cycle.New(config, cycle.Parts{
		Cluster: sim.DirectCluster{World: w}, Journal: db, Leadership: db, History: clockedHistory{db, w.Now}, Probes: bridge.NoProbes{}, ExpirerStatus: bridge.SimulatedExpirer{},
		Metrics: cycle.NewMetrics(prometheus.NewRegistry()), Now: w.Now, Log: slog.New(slog.NewTextHandler(io.Discard, nil)), WaitsForPlans: true,
	})
	must(t, err)
	return recorder{w, l}
}

// recordUntil lets the daemon decide until so many days are over.
func (r recorder) recordUntil(t *testing.T, days int) {
	for end := monday.AddDate(0, 0, days); r.World.Now().Before(end); r.Advance(r.World.Now().Add(r.Interval)) {
		r.Step(t.Context())
	}
}

// submitDays submits narrow jobs and now and then a wide one, more on some days than on others, the
// last in the evening.
func submitDays(t *testing.T, w *sim.World, partition string, days int) {
	t.Helper()
	dice := rand.New(rand.NewPCG(1, 2))
	for day := range days {
		gap := 12 + 6*dice.Float64() // minutes
		for i, minute := 0, 0.0; minute < 20*60; i, minute = i+1, minute+gap*(0.5+dice.Float64()) {
			minutes := 20 + 25*dice.Float64()
			j := sim.JobSpec{Name: "narrow", User: "ann", Account: "a", GPUs: 1, WorkTime: time.Duration(minutes) * time.Minute, TimeLimit: time.Hour}
			switch i % 5 {
			case 1:
				j = sim.JobSpec{Name: "wide", User: "bob", Account: "b", MinNodes: 2, GPUsPerNode: 3, WorkTime: time.Duration(2*minutes) * time.Minute, TimeLimit: 3 * time.Hour}
			case 3:
				j.User, j.Account, j.GPUs = "eve", "c", 2
			}
			j.Partition = partition
			must(t, w.SubmitAt(monday.AddDate(0, 0, day).Add(time.Duration(minute*60)*time.Second), j))
		}
	}
}

// run is the command as a person calls it.
func run(t *testing.T, o *cli.Options, args ...string) (string, error) {
	t.Helper()
	c := NewCommand(o)
	var out bytes.Buffer
	c.SetOut(&out)
	c.SetErr(io.Discard)
	c.SetArgs(args)
	c.SilenceErrors, c.SilenceUsage = true, true
	err := c.ExecuteContext(t.Context())
	t.Log(out.String())
	return out.String(), err
}

// TestTheDaysOfTwoCanaries: for two weeks fifo decides on two drawn days a week in place of the
// default policy on one partition, and on the other the default policy itself but for a parameter
// that changes nothing.
func TestTheDaysOfTwoCanaries(t *testing.T) {
	part.Only(t, "studies")
	o, db := newSite(t)
	r := newRecorder(t, o, db, 16)
	r.recordUntil(t, 5)
	out, err := run(t, o, "-p", "gpu")
	wants(t, out, err, cli.ErrFinding, "Not enough days yet: 0 of at least 4 days of the candidate; the earliest verdict is on 2026-03-14.")
	r.recordUntil(t, 16)
	out, err = run(t, o, "-p", "gpu", "--seeds", "2", "--html", "page.html")
	wants(t, out, err, cli.ErrFinding, "4 days of the candidate and 10 days of the incumbent count.", "Worse: ", "Who fared worse on the candidate's days", "c, 2 GPUs")
	page, err := os.ReadFile("page.html")
	wants(t, string(page), err, nil, "Canaries of cluster lab", "Partition gpu: by account and size")
	out, err = run(t, o, "-p", "big", "--seeds", "2")
	wants(t, out, err, nil, "No difference seen ")
	_, err = run(t, o, "-p", "nosuch")
	wants(t, "", err, cli.NewUsageError(nil))
}

// wants checks an output, wrapped at any place, and its error.
func wants(t *testing.T, out string, err, wantErr error, texts ...string) {
	t.Helper()
	if !errors.Is(err, wantErr) && !(cli.IsUsageError(wantErr) && cli.IsUsageError(err)) {
		t.Errorf("error %v, want %v\n%s", err, wantErr, out)
	}
	flat := strings.Join(strings.Fields(out), " ")
	for _, text := range texts {
		if !strings.Contains(flat, text) {
			t.Errorf("it does not say %q\n%s", text, out)
		}
	}
}
