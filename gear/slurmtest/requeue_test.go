package slurmtest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/replica/sim"
)

// four submits a running job, a pending one, a finished one and one that must
// not be requeued, with the ids 1 to 4.
func four(t *testing.T, s *Server) {
	submit(t, s, sim.JobSpec{})
	submit(t, s, sim.JobSpec{Hold: true})
	submit(t, s, sim.JobSpec{WorkTime: time.Second, GPUsPerNode: 1})
	submit(t, s, sim.JobSpec{NoRequeue: true, GPUsPerNode: 1})
	advance(s, 10*time.Second)
}

func job(t *testing.T, s *Server, id int64) (j slurm.Job) {
	t.Helper()
	s.WithWorld(func(w *sim.World) {
		var err error
		if j, err = w.Job(id); err != nil {
			t.Fatal(err)
		}
	})
	return j
}

func TestRequeueOverTheWire(t *testing.T) {
	for _, c := range []struct {
		name, body string
		status     int
		number     int    // of the first error
		restarts   string // of the jobs 1 to 4, ten seconds later
	}{
		{"the mix, protected", `{"jobs":["1","2","3","4","99"],"flags":["Incomplete"]}`, 422, 2037, "1000"},
		{"only unknown", `{"jobs":["99"],"flags":["Incomplete"]}`, 404, 2017, "0000"},
		{"unprotected", `{"jobs":["1","2","3"]}`, 422, 2024, "1010"},
		{"misspelt flag", `{"jobs":["3"],"flags":["Bogus"]}`, 500, 9207, "0010"},
		{"number and single string", `{"jobs":1,"flags":"incomplete"}`, 200, 0, "1000"},
		{"nothing", `{"job_id":"44"}`, 404, 2017, "0000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := start(t, "26.05.5")
			four(t, s)
			a := call(t, s, "POST", path(45, "jobs/requeue"), c.body)
			if a.status != c.status || a.number() != c.number {
				t.Errorf("%d, %d; want %d, %d: %s", a.status, a.number(), c.status, c.number, a.body)
			}
			advance(s, 10*time.Second)
			got := ""
			for id := int64(1); id <= 4; id++ {
				got += fmt.Sprint(job(t, s, id).Restarts)
			}
			if got != c.restarts {
				t.Errorf("restarts %s, want %s", got, c.restarts)
			}
		})
	}
}

func TestRequeueBySLUIDIsACompareAndSet(t *testing.T) {
	s := start(t, "26.05.5")
	four(t, s)
	body := `{"jobs":["` + job(t, s, 1).SLUID + `"],"flags":["Incomplete"]}`
	if a := call(t, s, "POST", path(45, "jobs/requeue"), body); a.status != 200 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	advance(s, time.Second)
	if a := call(t, s, "POST", path(45, "jobs/requeue"), body); a.status != 404 || a.number() != 2017 {
		t.Errorf("again: %d %d", a.status, a.number())
	}
	sluid := job(t, s, 1).SLUID
	if a := call(t, s, "GET", path(45, "job/"+sluid), ""); a.status != 200 {
		t.Errorf("GET by SLUID: %d", a.status)
	}
	if a := call(t, s, "POST", path(45, "job/"+sluid), `{"nice":1}`); a.status != 404 {
		t.Errorf("POST by SLUID: %d", a.status)
	}
}

func TestScontrol(t *testing.T) {
	s := start(t, "22.05.8")
	four(t, s)
	for _, c := range []struct {
		args, output string
		status       int
	}{
		{"requeue Incomplete 2", "", 0}, {"requeue 2", "Job is pending execution for job 2", 1},
		{"requeue Incomplete 99", "Invalid job id specified for job 99", 1},
		{"requeue Incomplete 3", "", 0}, {"requeue Incomplete 1", "", 0},
		{"update jobid=2 nice=4 sitefactor=-9", "", 0}, {"frobnicate 1", "invalid keyword: frobnicate", 1},
		{"release 2", "", 0}, {"update jobid=2 colour=red", "Update of this parameter is not supported: colour=red", 1},
	} {
		out, status := s.RunScontrol("slurm", strings.Fields(c.args)...)
		if strings.TrimSpace(out) != c.output || status != c.status {
			t.Errorf("scontrol %s: %q %d, want %q %d", c.args, out, status, c.output, c.status)
		}
	}
	advance(s, time.Second)
	// Whatever the fair share: whole thousands, less nice 4 and site factor 9.
	if a, b, c := job(t, s, 1), job(t, s, 2), job(t, s, 3); a.Restarts != 1 || b.Priority%1_000 != 987 || c.Restarts != 0 {
		t.Errorf("restarts %d, priority %d, restarts %d", a.Restarts, b.Priority, c.Restarts)
	}
}

func TestDeleteWithoutAGoodSignalKills(t *testing.T) {
	for _, c := range []struct{ query, state string }{{"", "CANCELLED"}, {"?signal=NOSUCH", "CANCELLED"}, {"?signal=0", "CANCELLED"}, {"?signal=SIGUSR1", "RUNNING"}} {
		s := start(t, "26.05.5")
		four(t, s)
		if a := call(t, s, "DELETE", path(45, "job/1")+c.query, ""); a.status != 200 {
			t.Errorf("%s: %d", c.query, a.status)
		}
		if j := job(t, s, 1); j.State != c.state {
			t.Errorf("DELETE%s: %s, want %s", c.query, j.State, c.state)
		}
	}
}

// TestScancel: the stand-in for scancel signals scripts, and ends jobs when no
// signal is named, as the real one does.
func TestScancel(t *testing.T) {
	s := start(t, "24.11.5")
	four(t, s)
	for _, c := range []struct {
		args   string
		status int
	}{
		{"scancel --batch --signal=USR1 1", 0}, {"scancel --batch --signal=USR1 2", 0}, // pending: nothing, and no word
		{"scancel --batch --signal=NOSUCH 1", 1}, {"scancel --batch --signal= 1", 1}, {"scancel --batch --signal=USR1 99", 1}, {"scancel --all 1", 1},
	} {
		if out, status := s.RunScontrol("slurm", strings.Fields(c.args)...); status != c.status {
			t.Errorf("%s: %d, %s", c.args, status, out)
		}
	}
	if _, status := s.RunScontrol("nobody", "scancel", "--batch", "--signal=USR1", "1"); status == 0 {
		t.Error("anybody may signal")
	}
	s.WithWorld(func(w *sim.World) {
		if got := w.DeliveredSignals(); len(got) != 1 || got[0].JobID != 1 || got[0].Signal != slurm.USR1 {
			t.Errorf("delivered %v", got)
		}
	})
	s.RunScontrol("slurm", "scancel", "1")
	advance(s, 10*time.Second)
	if j := job(t, s, 1); j.State != "CANCELLED" {
		t.Errorf("without a signal the job is %s", j.State)
	}
}
