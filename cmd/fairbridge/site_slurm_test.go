package main

import (
	"strconv"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/rogpeppe/go-internal/testscript"

	"fairbridge/gear/slurmtest"
	"fairbridge/replica/sim"
)

// writeToken writes "token USER LIFETIME" to the file token, as scontrol token
// prints it.
func (s *site) writeToken(ts *testscript.TestScript, args []string) {
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
	s.server.SetAuthState(map[string]slurmtest.AuthState{"good": slurmtest.AuthNormal, "expired": slurmtest.AuthExpired}[args[0]])
}

// serves changes the API versions that Slurm offers.
func (s *site) serves(ts *testscript.TestScript, args []string) {
	var list []int
	for _, a := range args {
		v, err := strconv.Atoi(a)
		ts.Check(err)
		list = append(list, v)
	}
	s.server.SetAPIVersions(list...)
}

// fault makes the answers of Slurm go wrong in a way, those at a path or all;
// "none" ends it.
func (s *site) fault(_ *testscript.TestScript, args []string) {
	s.server.ClearFaults()
	if args[0] != "none" {
		s.server.InjectFault(slurmtest.Fault{Kind: slurmtest.FaultKind(args[0]), PathPart: strings.Join(args[1:], "")})
	}
}

// writes wants that many writes to have arrived at Slurm since the last look;
// "some" is any number but none.
func (s *site) writes(ts *testscript.TestScript, args []string) {
	got := s.server.CallCounts()
	s.server.ForgetCalls()
	if got.Reads == 0 {
		ts.Fatalf("Slurm was not asked anything")
	}
	if args[0] == "some" && got.Writes > 0 || args[0] == strconv.Itoa(got.Writes) {
		return
	}
	ts.Fatalf("%d writes arrived at Slurm, want %s", got.Writes, args[0])
}

// submitJob submits one more job.
func (s *site) submitJob(ts *testscript.TestScript, args []string) {
	s.server.WithWorld(func(w *sim.World) { submit(ts, w, args) })
}

func submit(ts *testscript.TestScript, w *sim.World, args []string) {
	o := parseOptions(ts, args, map[string]string{"user": "alice", "gpus": "8", "limit": "4h", "nodes": "1", "array": "0", "hold": "", "comment": ""})
	number := func(k string) int {
		n, err := strconv.Atoi(o[k])
		ts.Check(err)
		return n
	}
	limit, err := time.ParseDuration(o["limit"])
	ts.Check(err)
	_, err = w.Submit(sim.JobSpec{
		Name: "train", User: o["user"], MinNodes: number("nodes"), GPUsPerNode: number("gpus"), TimeLimit: limit, WorkTime: limit,
		ArraySize: number("array"), Hold: o["hold"] != "", Comment: o["comment"],
	})
	ts.Check(err)
}
