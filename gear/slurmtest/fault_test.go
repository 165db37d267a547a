package slurmtest

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fairbridge/replica/sim"
)

func TestFaults(t *testing.T) {
	good := func(a answer) bool { return a.status == 200 && json.Valid(a.body) && a.number() == 0 }
	for _, c := range []struct {
		fault Fault
		ok    func(a answer, err error) bool
		did   bool // the update happened
	}{
		{Fault{Kind: FaultTruncated}, func(a answer, err error) bool { return err != nil && len(a.body) > 0 }, true},
		{Fault{Kind: FaultTruncated, CutAfterBytes: 10}, func(a answer, err error) bool { return err != nil && len(a.body) == 10 }, true},
		{Fault{Kind: FaultShortBody, CutAfterBytes: 10}, func(a answer, err error) bool { return err == nil && len(a.body) == 10 }, true},
		{Fault{Kind: FaultEmptyBody}, func(a answer, err error) bool { return a.status == 200 && len(a.body) == 0 }, false},
		{Fault{Kind: FaultHTMLPage}, func(a answer, err error) bool { return a.header.Get("Content-Type") == "text/html" }, false},
		{Fault{Kind: FaultGarbageBody}, func(a answer, err error) bool { return a.status == 200 && !json.Valid(a.body) }, false},
		{Fault{Kind: FaultUnauthorised}, func(a answer, err error) bool { return a.status == 401 }, false},
		{Fault{Kind: FaultNoVersion}, func(a answer, err error) bool { return a.status == 404 && a.doc == nil }, false},
		{Fault{Kind: FaultErrorStatus, ErrorNumber: 2042, HTTPStatus: 422}, func(a answer, err error) bool { return a.status == 422 && a.number() == 2042 }, false},
		{Fault{Kind: FaultErrorStatus}, func(a answer, err error) bool { return a.status == 500 && a.number() == 1 }, false},
		{Fault{Kind: FaultErrorsWith200, ErrorNumber: 9001}, func(a answer, err error) bool { return a.status == 200 && a.number() == 9001 }, false},
		{Fault{Kind: FaultBadGateway}, func(a answer, err error) bool { return a.status == 502 }, false},
		{Fault{Kind: FaultTooManyRequests}, func(a answer, err error) bool { return a.status == 429 && a.header.Get("Retry-After") == "1" }, false},
		{Fault{Kind: FaultConnectionReset}, func(a answer, err error) bool { return err != nil && a.status == 0 }, false},
		{Fault{Kind: FaultLostAnswer}, func(a answer, err error) bool { return err != nil && a.status == 0 }, true},
		{Fault{Kind: FaultHugeList, SizeBytes: 1 << 20}, func(a answer, err error) bool { return err != nil && len(a.body) > 500_000 }, false},
		{Fault{Kind: FaultSlowReply, Delay: time.Hour}, func(a answer, err error) bool { return good(a) }, true},
		{Fault{Kind: FaultDoneTwice}, func(a answer, err error) bool { return good(a) }, true},
	} {
		t.Run(string(c.fault.Kind), func(t *testing.T) {
			var waited time.Duration
			s := start(t, "26.05.5", func(c *Config) { c.Sleep = func(d time.Duration) { waited += d } })
			submit(t, s, sim.JobSpec{})
			c.fault.MaxStrikes, c.fault.Method = 1, "POST"
			s.InjectFault(c.fault)
			if a := call(t, s, "GET", path(45, "jobs/"), ""); !good(a) {
				t.Errorf("a read is hit: %d", a.status)
			}
			if a, err := try(s, "POST", path(45, "job/1"), `{"nice":7}`); !c.ok(a, err) {
				t.Errorf("%d %v %.200s", a.status, err, a.body)
			}
			if waited != c.fault.Delay {
				t.Errorf("waited %v", waited)
			}
			if did := job(t, s, 1).Nice == 7; did != c.did {
				t.Errorf("applied %t, want %t", did, c.did)
			}
			if a := call(t, s, "POST", path(45, "job/1"), `{"nice":8}`); !good(a) {
				t.Errorf("it strikes twice: %d", a.status)
			}
			if n := s.CallCounts(); n != (CallCounts{Reads: 1, Writes: 2}) {
				t.Errorf("counted %+v", n)
			}
		})
	}
}

func TestFaultsCanBeAimed(t *testing.T) {
	s := start(t, "26.05.5")
	s.InjectFault(Fault{Kind: FaultBadGateway, PathPart: "/jobs/state", SkipCount: 1, MaxStrikes: 2})
	got := ""
	for range 5 {
		got += map[int]string{200: "o", 502: "x"}[call(t, s, "GET", path(45, "jobs/state/"), "").status]
	}
	if got != "oxxoo" {
		t.Errorf("%s, want the second and third to fail", got)
	}
	s.InjectFault(Fault{Kind: FaultBadGateway})
	for range 2 {
		if call(t, s, "GET", path(45, "nodes/"), "").status != 502 {
			t.Error("without Times it should last")
		}
	}
	s.ClearFaults()
	if call(t, s, "GET", path(45, "nodes/"), "").status != 200 {
		t.Error("not healed")
	}
}

func TestLateDelivery(t *testing.T) {
	s := start(t, "26.05.5")
	submit(t, s, sim.JobSpec{Hold: true})
	s.InjectFault(Fault{Kind: FaultLateEffect, Delay: 10 * time.Minute, MaxStrikes: 1})
	if _, err := try(s, "POST", path(45, "job/1"), `{"nice":7}`); err == nil {
		t.Fatal("an answer came")
	}
	advance(s, 9*time.Minute)
	if job(t, s, 1).Nice != 0 {
		t.Error("too early")
	}
	advance(s, 2*time.Minute)
	if job(t, s, 1).Nice != 7 {
		t.Error("never delivered")
	}
}

func TestUnchangedLists(t *testing.T) {
	for _, c := range []struct {
		release string
		v       int
		status  int
	}{{"22.05.8", 38, 304}, {"26.05.5", 45, 200}} {
		s := start(t, c.release)
		submit(t, s, sim.JobSpec{})
		a := call(t, s, "GET", path(c.v, "jobs/?update_time=4000000000"), "")
		list, _ := a.doc["jobs"].([]any)
		if a.status != c.status || len(list) != 0 {
			t.Errorf("%s: %d with %d jobs", c.release, a.status, len(list))
		}
		if a.status == 200 && !strings.Contains(string(a.body), "No job changes") {
			t.Errorf("no warning: %s", a.body)
		}
		if a := call(t, s, "GET", path(c.v, "jobs/?update_time=5"), ""); a.status != 200 || len(a.doc["jobs"].([]any)) != 1 {
			t.Errorf("%s: something changed, and %d", c.release, a.status)
		}
	}
}

func TestHiddenUsersVanishSilently(t *testing.T) {
	s := start(t, "26.05.5")
	submit(t, s, sim.JobSpec{User: "ann"})
	submit(t, s, sim.JobSpec{User: "bob"})
	s.HideJobsOf("bob")
	for _, tail := range []string{"jobs/", "jobs/state/"} {
		a := call(t, s, "GET", path(45, tail), "")
		if list := a.doc["jobs"].([]any); a.status != 200 || len(list) != 1 || len(a.doc["warnings"].([]any)) != 0 {
			t.Errorf("%s: %d with %d jobs", tail, a.status, len(list))
		}
	}
}

// TestAnswersThatLie: lists that are shorter than the truth, and clocks that are
// off, look like any good answer; single jobs are told rightly.
func TestAnswersThatLie(t *testing.T) {
	for _, c := range []struct {
		release string
		v       int
	}{{"22.05.8", 38}, {"26.05.5", 45}} {
		s := start(t, c.release)
		for range 3 {
			submit(t, s, sim.JobSpec{})
		}
		for _, list := range []string{"jobs", "nodes"} {
			for _, keep := range []int{0, 1} {
				s.InjectFault(Fault{Kind: FaultFilteredList, PathPart: "/" + list, KeepEntries: keep, MaxStrikes: 1})
				a := call(t, s, "GET", path(c.v, list+"/"), "")
				if got := a.doc[list].([]any); a.status != 200 || a.number() != 0 || len(got) != keep {
					t.Errorf("%s: %d with %d %s, want %d", c.release, a.status, len(got), list, keep)
				}
			}
		}
		s.InjectFault(Fault{Kind: FaultFilteredList, PathPart: "/jobs"})
		if a := call(t, s, "GET", path(c.v, "job/3"), ""); a.status != 200 || len(a.doc["jobs"].([]any)) != 1 {
			t.Errorf("%s: asked for one job: %d %s", c.release, a.status, a.body)
		}
		s.ClearFaults()
		s.InjectFault(Fault{Kind: FaultWrongClock, PathPart: "/diag", Delay: -time.Hour, MaxStrikes: 1})
		behind, now := told(t, s, c.v), told(t, s, c.v)
		if now-behind != 3600 {
			t.Errorf("%s: the clock was told as %.0f, then as %.0f", c.release, behind, now)
		}
	}
}

// told is the time that diag tells.
func told(t *testing.T, s *Server, v int) float64 {
	t.Helper()
	stats := call(t, s, "GET", path(v, "diag/"), "").doc["statistics"].(map[string]any)
	if n, ok := stats["req_time"].(map[string]any); ok {
		return n["number"].(float64)
	}
	return stats["req_time"].(float64)
}

func TestWorldFollowsTheClock(t *testing.T) {
	wall := time.Unix(1_000_000, 0)
	s := start(t, "26.05.5", func(c *Config) { c.Speed, c.ReadWallClock = 60, func() time.Time { return wall } })
	submit(t, s, sim.JobSpec{WorkTime: 10 * time.Minute})
	wall = wall.Add(5 * time.Second) // five minutes of the world
	a := call(t, s, "GET", path(45, "job/1"), "")
	if !strings.Contains(string(a.body), `"job_state":["RUNNING"]`) {
		t.Errorf("after 5 minutes: %s", a.body)
	}
	if d := a.header.Get("Date"); d != "Mon, 05 Jan 2026 00:05:00 GMT" {
		t.Errorf("Date: %s", d)
	}
	wall = wall.Add(6 * time.Second)
	if j := job(t, s, 1); j.State != "COMPLETED" {
		t.Errorf("after 11 minutes: %s", j.State)
	}
}

func TestUnixSocket(t *testing.T) {
	file := filepath.Join(t.TempDir(), "s")
	s := start(t, "26.05.5", func(c *Config) { c.ListenAddress, c.LocalUser = "unix:"+file, "rest" })
	if s.URL() != "unix:"+file {
		t.Errorf("URL %s", s.URL())
	}
	if a := overUnix(t, file, path(45, "jobs/")); a.status != 200 {
		t.Errorf("%d %s", a.status, a.body)
	}
	if c := s.Calls(); len(c) != 1 || c[0].User != "rest" || c[0].HTTPStatus != 200 {
		t.Errorf("%+v", c)
	}
}
