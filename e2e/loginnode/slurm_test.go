package loginnode

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fairbridge/gear/slurmtest"
	"fairbridge/replica/sim"
	"fairbridge/scripts/executable"
)

// jobCount is how many jobs are in the queue; every aliceEvery-th is alice's.
const jobCount, aliceEvery = 10_000, 200

// hostileName is what a user may call a job: it would clear a terminal, and set its title.
const hostileName = "evil\x1b[2J\x1b]0;owned\x07\u202ename"

// newWorld makes a cluster in which a few jobs of alice (research) wait among many of bob (teaching).
func newWorld(t *testing.T, jobs int) *sim.World {
	t.Helper()
	people := []sim.User{
		{Name: "alice", DefaultAccount: "research"}, {Name: "bob", DefaultAccount: "teaching"}, {Name: "carol", DefaultAccount: "vision"},
		{Name: "fairbridge", DefaultAccount: "root", IsOperator: true},
	}
	w, err := sim.New(sim.Config{
		Release: "26.05.5", ClusterName: "lab", Start: time.Now().Add(-3 * time.Minute).Truncate(time.Second), Nodes: sim.UniformNodes(8, "a100", 8),
		Accounts: []sim.Account{{Name: "research", Shares: 1}, {Name: "teaching", Shares: 1}, {Name: "vision", Shares: 1}}, Users: people,
	})
	if err != nil {
		t.Fatal(err)
	}
	for n := range jobs {
		user := people[1]
		if n%aliceEvery == 0 {
			user = people[0]
		}
		spec := sim.JobSpec{Name: fmt.Sprintf("%s-%d", user.Name, n), User: user.Name, GPUsPerNode: 1 << (n / 7 % 4), TimeLimit: time.Duration(1+n%24) * time.Hour, WorkTime: time.Duration(1+n%20) * time.Hour}
		if n >= jobs-2 {
			spec.Name, spec.Comment = hostileName, hostileName
		}
		if _, err := w.Submit(spec); err != nil {
			t.Fatal(err)
		}
	}
	w.Advance(time.Now()) // some start
	return w
}

// startSlurm serves the cluster on a unix socket.
func startSlurm(t *testing.T, dir string, jobs int) (rest *slurmtest.Server, url string, stop func() error) {
	t.Helper()
	rest, err := slurmtest.New(slurmtest.Config{World: newWorld(t, jobs), LocalUser: "fairbridge", Speed: 1})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", rest)
	mux.HandleFunc("GET /slurmdb/{version}/users/", serveUsers)
	socket := filepath.Join(dir, "slurmrestd.sock")
	l, err := net.Listen("unix", socket)
	if err == nil {
		err = os.Chmod(socket, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { server.Close() })
	return rest, "unix:" + socket, server.Close
}

// serveUsers is what slurmdbd says of its users: carol coordinates teaching, and oper is an operator.
func serveUsers(w http.ResponseWriter, _ *http.Request) {
	type named map[string]any
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(named{"errors": []int{}, "users": []named{
		{"name": "alice", "administrator_level": []string{"None"}}, {"name": "bob", "administrator_level": []string{"None"}},
		{"name": "carol", "administrator_level": []string{"None"}, "coordinators": []named{{"name": "teaching", "direct": true}}},
		{"name": "oper", "administrator_level": []string{"Operator"}},
	}})
}

// newScontrol writes a scontrol that shows the settings of the cluster.
func newScontrol(t *testing.T, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "scontrol")
	text := []string{"#!/bin/sh", `[ "$*" = "show config" ] || exit 1`, "echo 'ClusterName = lab'", "echo 'PrivateData = jobs,usage'", ""}
	if err := executable.Write(path, []byte(strings.Join(text, "\n"))); err != nil {
		t.Fatal(err)
	}
	return path
}
