package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"fairbridge/cmd/fairbridge-lab/root"
	"fairbridge/cmd/internal/cli"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"fairbridge": main, "fairbridge-lab": func() { cli.Main(root.NewCommand()) }})
}

// TestScripts runs the command lines of testdata/script as a shell would, each
// script against a Slurm and a database of its own where it asks for them.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", RequireExplicitExec: true, RequireUniqueNames: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("TZ", "Europe/Berlin") // times are printed as the caller's
			e.Values[siteKey{}] = &site{env: e, t: e.T().(testing.TB)}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "json": isJSON,
			"site": onSite((*site).start), "token": onSite((*site).writeToken), "sql": onSite((*site).sql),
			"serves": onSite((*site).serves), "tokens": onSite((*site).tokens),
			"fault": onSite((*site).fault), "writes": onSite((*site).writes), "jobs": onSite((*site).submitJob),
			"rival": onSite((*site).rival), "cycles": onSite((*site).cycles),
			"recordpast": onSite((*site).recordPast), "hostile": onSite((*site).submitHostile), "showhostile": showHostile,
		},
	})
}

// exits runs "exits STATUS PROGRAM ARG…" and wants that exit status.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d\n%s%s", got, want, ts.ReadFile("stdout"), ts.ReadFile("stderr"))
	}
}

// isJSON wants a file to be one JSON value, and nothing but.
func isJSON(ts *testscript.TestScript, neg bool, args []string) {
	if valid := json.Valid([]byte(ts.ReadFile(args[0]))); valid == neg {
		ts.Fatalf("%s is JSON: %v\n%s", args[0], valid, ts.ReadFile(args[0]))
	}
}

func write(ts *testscript.TestScript, name, text string) {
	ts.Check(os.WriteFile(ts.MkAbs(name), []byte(text), 0o600))
}
