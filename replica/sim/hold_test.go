package sim

import (
	"errors"
	"testing"
	"time"

	"fairbridge/bridge/slurm"
)

func number(err error) int {
	var e *slurm.Error
	if errors.As(err, &e) {
		return e.Number
	}
	return 0
}

// act is one update by somebody and what must come of it.
type act struct {
	by     string
	u      JobUpdate
	number int // error number; 0: accepted
}

func TestHoldsReleasesAndPriorities(t *testing.T) {
	hold, free := JobUpdate{Hold: Ptr(true)}, JobUpdate{Hold: Ptr(false)}
	direct := JobUpdate{Priority: Ptr(int64(5_000))}
	none := JobUpdate{}
	for _, c := range []struct {
		name     string
		nice     int64
		old      bool // on 22.05
		acts     []act
		reason   string
		priority int64 // -1: multifactor's (11000 - nice)
		wantNice int64
	}{
		{name: "operator's hold is an admin's", acts: []act{{"slurm", hold, 0}}, reason: "JobHeldAdmin"},
		{name: "owner's hold is a user's", acts: []act{{"user", hold, 0}}, reason: "JobHeldUser"},
		{name: "owner cannot undo the admin's", acts: []act{{"slurm", hold, 0}, {"user", free, ErrnoAccessDenied}}, reason: "JobHeldAdmin"},
		{name: "owner's hold leaves the admin's", acts: []act{{"slurm", hold, 0}, {"user", hold, 0}}, reason: "JobHeldAdmin"},
		{name: "operator turns a user's hold into his", acts: []act{{"user", hold, 0}, {"slurm", hold, 0}}, reason: "JobHeldAdmin"},
		{name: "operator releases anything", acts: []act{{"user", hold, 0}, {"slurm", free, 0}}, reason: "None", priority: -1},
		{name: "infinite priority releases", acts: []act{{"slurm", hold, 0}, {"slurm", JobUpdate{Priority: Ptr(InfinitePriority)}, 0}}, reason: "None", priority: -1},
		{name: "priority 0 holds", acts: []act{{"slurm", JobUpdate{Priority: Ptr(int64(0))}, 0}}, reason: "JobHeldAdmin"},
		{name: "no priority for a held job", acts: []act{{"user", hold, 0}, {"slurm", direct, ErrnoJobHeld}}, reason: "JobHeldUser"},
		{name: "direct priority wipes nice", nice: 100, acts: []act{{"slurm", direct, 0}}, reason: "None", priority: 5_000},
		{name: "nice on a direct priority is ignored", acts: []act{{"slurm", direct, 0}, {"slurm", JobUpdate{Nice: Ptr(int64(7))}, 0}}, reason: "None", priority: 5_000},
		{name: "release of a job not held wipes nice", nice: 100, acts: []act{{"slurm", free, 0}}, reason: "None", priority: -1},
		{name: "hold and release keep nice", nice: 100, acts: []act{{"slurm", hold, 0}, {"slurm", free, 0}}, reason: "None", priority: -1, wantNice: 100},
		{name: "hold and release drop a direct priority", acts: []act{{"slurm", direct, 0}, {"slurm", hold, 0}, {"slurm", free, 0}}, reason: "None", priority: -1},
		{name: "priority wins over hold", acts: []act{{"slurm", JobUpdate{Priority: Ptr(int64(600)), Hold: Ptr(true)}, 0}}, reason: "None", priority: 600},
		{name: "hold wins over priority on 22.05", old: true, acts: []act{{"slurm", JobUpdate{Priority: Ptr(int64(600)), Hold: Ptr(true)}, 0}}, reason: "JobHeldAdmin"},
		{name: "owner lowers priority", acts: []act{{"user", JobUpdate{Priority: Ptr(int64(600))}, ErrnoPriorityFixed}}, reason: "None", priority: -1},
		{name: "owner lowers priority on 22.05: refused and done", old: true, acts: []act{{"user", JobUpdate{Priority: Ptr(int64(600))}, ErrnoPriorityFixed}}, reason: "None", priority: 600},
		{name: "owner raises priority", acts: []act{{"user", JobUpdate{Priority: Ptr(int64(60_000))}, ErrnoAccessDenied}}, reason: "None", priority: -1},
		{name: "owner's nice", acts: []act{{"user", JobUpdate{Nice: Ptr(int64(50))}, 0}}, reason: "None", priority: -1, wantNice: 50},
		{name: "owner's negative nice", acts: []act{{"user", JobUpdate{Nice: Ptr(int64(-50))}, ErrnoAccessDenied}}, reason: "None", priority: -1},
		{name: "a stranger", acts: []act{{"eve", hold, ErrnoInvalidUser}}, reason: "None", priority: -1},
		{name: "site factor adds", acts: []act{{"slurm", JobUpdate{SiteFactor: Ptr(int64(55))}, 0}}, reason: "None", priority: 11_055 - 1_000},
		{name: "site factor saturates at 1", acts: []act{{"slurm", JobUpdate{SiteFactor: Ptr(int64(-2_000_000_000))}, 0}}, reason: "None", priority: 1},
		{name: "site factor survives direct and hand-back", acts: []act{{"slurm", JobUpdate{SiteFactor: Ptr(int64(500))}, 0}, {"slurm", direct, 0}, {"slurm", hold, 0}, {"slurm", free, 0}}, reason: "None", priority: 10_500},
		{name: "owner's site factor", acts: []act{{"user", JobUpdate{SiteFactor: Ptr(int64(55))}, ErrnoAccessDenied}}, reason: "None", priority: -1},
		{name: "nothing asked", acts: []act{{"slurm", none, 0}}, reason: "None", priority: -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := world(t, func(g *Config) {
				if c.old {
					g.Release = "22.05.8"
				}
			})
			id := submit(t, w, JobSpec{Nice: c.nice})
			for i, a := range c.acts {
				if got := number(w.Update(a.by, id, a.u)); got != a.number {
					t.Fatalf("act %d: error %d, want %d", i, got, a.number)
				}
			}
			want := c.priority
			if want < 0 {
				want = 10_000 - c.wantNice
			}
			j := get(t, w, id)
			if j.Reason != c.reason || j.Priority != want || j.Nice != c.wantNice || j.IsHeld != (want == 0) {
				t.Errorf("reason %s priority %d nice %d held %t; want %s %d %d", j.Reason, j.Priority, j.Nice, j.IsHeld, c.reason, want, c.wantNice)
			}
		})
	}
}

func TestHeldJobNeverStarts(t *testing.T) {
	w := world(t)
	id := submit(t, w, JobSpec{Hold: true})
	advance(w, time.Hour)
	if j := get(t, w, id); j.State != "PENDING" || !j.EligibleTime.IsZero() || !j.AccrueTime.IsZero() {
		t.Fatalf("%s eligible %v accrue %v", j.State, j.EligibleTime, j.AccrueTime)
	}
	if err := w.Release("user", id); err != nil {
		t.Fatal(err)
	}
	advance(w, 4*time.Second)
	if s := states(t, w, id); s != "R" {
		t.Errorf("released, and %s", s)
	}
}

func TestHoldOfARunningJobActsAfterRequeue(t *testing.T) {
	w := world(t)
	id := submit(t, w, JobSpec{})
	advance(w, 5*time.Second)
	if err := w.Hold(OperatorUser, id); err != nil {
		t.Fatal(err)
	}
	if j := get(t, w, id); j.State != "RUNNING" || j.Priority != 0 {
		t.Fatalf("%s with priority %d", j.State, j.Priority)
	}
	if err := w.Requeue(OperatorUser, "1", true); err != nil {
		t.Fatal(err)
	}
	advance(w, 10*time.Minute)
	if j := get(t, w, id); j.State != "PENDING" || j.Reason != "JobHeldAdmin" || j.Restarts != 1 {
		t.Errorf("%s %s restarts %d", j.State, j.Reason, j.Restarts)
	}
}
