package answers_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fairbridge/accounting"
	"fairbridge/accounting/dbtest"
	"fairbridge/accounting/stores"
	"fairbridge/api"
	"fairbridge/api/answers"
	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/bridge/slurm"
	"fairbridge/policy/catalogue"
	"fairbridge/replica/sim"
)

// site is a simulated Slurm with a loop that decides over a database, and a service that answers.
type site struct {
	t       *testing.T
	world   *sim.World
	db      *stores.Stores
	loop    *cycle.Loop
	service *answers.Service
	private api.Privacy
	config  answers.Config
	slurm   *fakeSlurm
	ahead   time.Duration // of the service's clock
}

// fakeSlurm shows the jobs of the simulated Slurm, and counts how often it is asked.
type fakeSlurm struct {
	sim.DirectCluster
	mu     sync.Mutex
	asked  int
	broken error
}

func (f *fakeSlurm) PeekJob(ctx context.Context, id int64) (slurm.Job, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.asked++; f.broken != nil {
		return slurm.Job{}, f.broken
	}
	return f.DirectCluster.RereadJob(ctx, id)
}

func (f *fakeSlurm) ReadPartitions(ctx context.Context) ([]slurm.Partition, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.asked++; f.broken != nil {
		return nil, f.broken
	}
	v, err := f.Observe(ctx)
	if err != nil {
		return nil, err
	}
	return v.Partitions, nil
}

// clocked is a history with Slurm's clock.
type clocked struct {
	bridge.History
	now func() time.Time
}

func (c clocked) Clock(context.Context) (time.Time, error) { return c.now(), nil }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// newSite has two nodes of eight GPUs under a policy in mode observe.
func newSite(t *testing.T, policyName string) *site {
	t.Helper()
	return newSiteInMode(t, policyName, bridge.ModeRank)
}

// newSiteInMode has them in another mode.
func newSiteInMode(t *testing.T, policyName string, mode bridge.Mode) *site {
	t.Helper()
	w, err := sim.New(sim.Config{ClusterName: "lab", Nodes: sim.UniformNodes(2, "a100", 8), Partitions: []sim.Partition{{Name: "gpu"}}})
	must(t, err)
	s := &site{t: t, world: w, db: stores.New(dbtest.NewDB(t)), slurm: &fakeSlurm{DirectCluster: sim.DirectCluster{World: w}}}
	entry, err := catalogue.FindSystem(policyName)
	must(t, err)
	decide, err := entry.New(nil)
	must(t, err)
	c := bridge.DefaultConfig()
	c.ClusterName, c.DaemonName, c.StopFile = "lab", "secrethost:1", ""
	c.Partitions = []bridge.Partition{{Name: "gpu", Mode: mode, Policy: policyName, DecidingPolicy: decide}}
	s.loop, err = cycle.New(c, cycle.Parts{
		Cluster: s.slurm.DirectCluster, Journal: s.db, Leadership: s.db, History: clocked{s.db, s.now}, Probes: bridge.NoProbes{}, ExpirerStatus: bridge.SimulatedExpirer{},
		Metrics: cycle.NewMetrics(prometheus.NewRegistry()), Now: s.now, Log: slog.New(slog.DiscardHandler),
	})
	must(t, err)
	s.config = answers.Config{Cluster: "lab", Version: "v1", Partitions: c.Partitions, MaxCycleAge: 2 * time.Minute}
	s.restart()
	return s
}

// restart begins a new service, which holds nothing in memory.
func (s *site) restart() {
	s.service = answers.New(s.config, answers.Parts{Record: s.db, Slurm: s.slurm, Privacy: func() api.Privacy { return s.private }, Now: func() time.Time { return s.now().Add(s.ahead) }})
}

func (s *site) now() time.Time { return s.world.Now() }

func (s *site) submit(user, account string, gpus int, tasks int) int64 {
	s.t.Helper()
	id, err := s.world.Submit(sim.JobSpec{User: user, Account: account, GPUs: gpus, WorkTime: 5 * time.Hour, TimeLimit: 6 * time.Hour, ArraySize: tasks})
	must(s.t, err)
	return id
}

func (s *site) submitNamed(user, account string, gpus int, name string) int64 {
	s.t.Helper()
	id, err := s.world.Submit(sim.JobSpec{User: user, Account: account, Name: name, GPUs: gpus, WorkTime: 5 * time.Hour, TimeLimit: 6 * time.Hour})
	must(s.t, err)
	return id
}

// step lets time go by and the daemon decide.
func (s *site) step() cycle.Report {
	s.t.Helper()
	s.world.Advance(s.world.Now().Add(30 * time.Second))
	r := s.loop.Step(s.t.Context())
	for _, d := range r.Doubts {
		s.t.Fatalf("in doubt: %s: %v", d.Cause, d.Err)
	}
	return r
}

// busy fills the site: bob's jobs run, then ann's and bob's wait.
func (s *site) busy() (ann, bob int64) {
	s.t.Helper()
	for range 2 {
		s.submit("bobby", "bobaccount", 8, 0)
	}
	s.step()
	bob = s.submit("bobby", "bobaccount", 8, 0)
	ann = s.submit("annie", "annaccount", 4, 0)
	s.step()
	s.step()
	return ann, bob
}

// loseDatabase lets nothing more be read or written.
func (s *site) loseDatabase() {
	s.t.Helper()
	gone, err := accounting.Open(s.t.Context(), accounting.Config{DSN: "postgres:///none?host=/nonexistent"})
	must(s.t, err)
	s.t.Cleanup(s.db.DB.Pool.Close)
	s.db.DB.Pool = gone.Pool
}

var (
	annie    = api.Viewer{User: "annie", Role: api.RoleUser}
	bobby    = api.Viewer{User: "bobby", Role: api.RoleUser}
	operator = api.NewLocalOperator("root")
)

// jsonOf is an answer as it travels.
func jsonOf(t *testing.T, answer any) string {
	t.Helper()
	b, err := json.Marshal(answer)
	must(t, err)
	return string(b)
}

// lacks checks that none of the texts is in an answer.
func lacks(t *testing.T, what, text string, secrets ...string) {
	t.Helper()
	for _, s := range secrets {
		if strings.Contains(text, s) {
			t.Errorf("%s tells %q: %s", what, s, text)
		}
	}
}

func codeIs(t *testing.T, what string, err error, want api.Code) {
	t.Helper()
	var told *api.Error
	if !errors.As(err, &told) || told.Code != want {
		t.Errorf("%s: %v, want code %s", what, err, want)
	}
}
