package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/jackc/pgx/v5"
	"github.com/rogpeppe/go-internal/testscript"

	"fairbridge/accounting"
	"fairbridge/accounting/pglocal/pgtest"
	"fairbridge/bridge/sim"
	"fairbridge/bridge/slurmtest"
)

// self is the key of a script's site in its environment.
type self struct{}

// site is the Slurm and the database of one script.
type site struct {
	env    *testscript.Env
	t      testing.TB
	server *slurmtest.Server
	dsn    string
}

func onSite(do func(*site, *testscript.TestScript, []string)) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, _ bool, args []string) { do(ts.Value(self{}).(*site), ts, args) }
}

// key signs tokens.
var key = strings.Repeat("k", 32)

// options of a site, as "name=value".
func wishes(ts *testscript.TestScript, args []string, known map[string]string) map[string]string {
	for _, a := range args {
		k, v, _ := strings.Cut(a, "=")
		if _, ok := known[k]; !ok {
			ts.Fatalf("unknown option %q", k)
		}
		known[k] = v
	}
	return known
}

// start makes a cluster of four nodes with eight GPUs each, on which the jobs
// of the file "jobs" were submitted an hour ago, one line of sim.Spec each, and
// writes fairbridge.yaml for it.
func (s *site) start(ts *testscript.TestScript, args []string) {
	w := wishes(ts, args, map[string]string{
		"release": "26.05.5", "db": "ready", "mode": "observe", "policy": "fifo", "auth": "key_file: key, user: fairbridge",
	})
	now := time.Now()
	world, err := sim.New(sim.Config{
		Release: w["release"], Start: now.Add(-time.Hour), Nodes: sim.Uniform(4, "a100", 8),
		Partitions: []sim.Partition{{Name: "gpu", MaxTime: 24 * time.Hour}},
		Users:      []sim.User{{Name: "fairbridge", Operator: true}, {Name: "alice", Account: "research"}, {Name: "bob", Account: "teaching"}},
	})
	ts.Check(err)
	if text, err := os.ReadFile(ts.MkAbs("jobs")); err == nil {
		for line := range strings.Lines(string(text)) {
			submit(ts, world, strings.Fields(line))
		}
	}
	world.Advance(now)
	s.server, err = slurmtest.Start(slurmtest.Config{World: world, Key: []byte(key), Speed: 1})
	ts.Check(err)
	ts.Defer(func() { _ = s.server.Close() })
	s.database(ts, w["db"])
	write(ts, "key", key)
	write(ts, "fairbridge.yaml", fmt.Sprintf(configuration, s.server.URL(), w["auth"], w["mode"], w["policy"]))
	ts.Setenv("FAIRBRIDGE_CONFIG", "fairbridge.yaml")
	ts.Setenv("URL", s.server.URL())
}

const configuration = `cluster: sim
slurm: {url: %q, %s, scontrol: [sh, scontrol.sh]}
database: {dsn_file: dsn}
partitions: [{name: gpu, mode: %s, policy: %s}]
warmup: 0
stop_file: STOP
journal: journal
listen: ""
`

// database makes the database: ready, empty, or none at all.
func (s *site) database(ts *testscript.TestScript, state string) {
	switch state {
	case "ready":
		s.dsn = pgtest.From(s.t, "ready", migrated)
	case "empty":
		s.dsn = pgtest.New(s.t)
	case "none":
		c, err := pgx.ParseConfig(pgtest.New(s.t))
		ts.Check(err)
		s.dsn = strings.ReplaceAll(c.ConnString(), c.Database, "nowhere")
	}
	write(ts, "dsn", s.dsn+"\n")
}

func migrated(ctx context.Context, dsn string) error {
	db, err := accounting.Open(ctx, accounting.Config{DSN: dsn})
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.Migrate(ctx)
	return err
}

// sql changes the database behind our back.
func (s *site) sql(ts *testscript.TestScript, args []string) {
	c, err := pgx.Connect(s.t.Context(), s.dsn)
	ts.Check(err)
	defer c.Close(context.WithoutCancel(s.t.Context()))
	_, err = c.Exec(s.t.Context(), args[0])
	ts.Check(err)
}

// mint writes "token USER LIFETIME" to the file token, as scontrol token
// prints it.
func (s *site) mint(ts *testscript.TestScript, args []string) {
	life, err := time.ParseDuration(args[1])
	ts.Check(err)
	now := time.Now()
	text, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{
		"sun": args[0], "iat": now.Add(-time.Hour).Unix(), "exp": now.Add(life).Unix(),
	}).SignedString([]byte(key))
	ts.Check(err)
	write(ts, "token", "SLURM_JWT="+text+"\n")
}

// tokens lets Slurm take every token ("good") or none ("expired").
func (s *site) tokens(_ *testscript.TestScript, args []string) {
	s.server.SetAuth(map[string]slurmtest.Auth{"good": slurmtest.Normal, "expired": slurmtest.Expired}[args[0]])
}

// serves changes the API versions that Slurm offers.
func (s *site) serves(ts *testscript.TestScript, args []string) {
	var list []int
	for _, a := range args {
		v, err := strconv.Atoi(a)
		ts.Check(err)
		list = append(list, v)
	}
	s.server.Serves(list...)
}

// writes wants that many writes to have arrived at Slurm since the last look;
// "some" is any number but none.
func (s *site) writes(ts *testscript.TestScript, args []string) {
	got := s.server.Counts()
	s.server.Reset()
	if got.Reads == 0 {
		ts.Fatalf("Slurm was not asked anything")
	}
	if args[0] == "some" && got.Writes > 0 || args[0] == strconv.Itoa(got.Writes) {
		return
	}
	ts.Fatalf("%d writes arrived at Slurm, want %s", got.Writes, args[0])
}

// job submits one more job.
func (s *site) job(ts *testscript.TestScript, args []string) {
	s.server.World(func(w *sim.World) { submit(ts, w, args) })
}

func submit(ts *testscript.TestScript, w *sim.World, args []string) {
	o := wishes(ts, args, map[string]string{"user": "alice", "gpus": "8", "limit": "4h", "nodes": "1", "array": "0", "hold": "", "comment": ""})
	number := func(k string) int {
		n, err := strconv.Atoi(o[k])
		ts.Check(err)
		return n
	}
	limit, err := time.ParseDuration(o["limit"])
	ts.Check(err)
	_, err = w.Submit(sim.Spec{
		Name: "train", User: o["user"], Nodes: number("nodes"), GPUsPerNode: number("gpus"), Limit: limit, Work: limit,
		Array: number("array"), Hold: o["hold"] != "", Comment: o["comment"],
	})
	ts.Check(err)
}
