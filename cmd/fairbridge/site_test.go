package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"fairbridge/gear/slurmtest"
	"fairbridge/replica/sim"
)

// siteKey is the key of a script's site in its environment.
type siteKey struct{}

// site is the Slurm and the database of one script.
type site struct {
	env    *testscript.Env
	t      testing.TB
	server *slurmtest.Server
	dsn    string
}

func onSite(do func(*site, *testscript.TestScript, []string)) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, _ bool, args []string) { do(ts.Value(siteKey{}).(*site), ts, args) }
}

// key signs tokens.
var key = strings.Repeat("k", 32)

// options of a site, as "name=value".
func parseOptions(ts *testscript.TestScript, args []string, known map[string]string) map[string]string {
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
// of the file "jobs" were submitted an hour ago, one line of sim.JobSpec each, and
// writes fairbridge.yaml for it.
func (s *site) start(ts *testscript.TestScript, args []string) {
	w := parseOptions(ts, args, map[string]string{
		"release": "26.05.5", "db": "ready", "mode": "observe", "policy": "fifo", "auth": "key_file: key, user: fairbridge",
	})
	now := time.Now()
	world, err := sim.New(sim.Config{
		Release: w["release"], Start: now.Add(-time.Hour), Nodes: sim.UniformNodes(4, "a100", 8),
		Partitions: []sim.Partition{{Name: "gpu", MaxTime: 24 * time.Hour}},
		Users:      []sim.User{{Name: "fairbridge", IsOperator: true}, {Name: "alice", DefaultAccount: "research"}, {Name: "bob", DefaultAccount: "teaching"}},
	})
	ts.Check(err)
	if text, err := os.ReadFile(ts.MkAbs("jobs")); err == nil {
		for line := range strings.Lines(string(text)) {
			submit(ts, world, strings.Fields(line))
		}
	}
	world.Advance(now)
	s.server, err = slurmtest.Start(slurmtest.Config{World: world, SigningKey: []byte(key), Speed: 1})
	ts.Check(err)
	ts.Defer(func() { _ = s.server.Close() })
	shown := "" // what scontrol shows of the jobs
	for _, j := range world.Jobs() {
		text, _ := s.server.RunScontrol("slurm", "show", "job", fmt.Sprint(j.ID))
		shown += text
	}
	write(ts, "shown", shown)
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
