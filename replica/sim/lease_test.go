package sim

import (
	"testing"
	"time"
)

func TestLeaseHoldsAndExpiresByItself(t *testing.T) {
	w := world(t)
	id := submit(t, w, JobSpec{})
	until := w.Now().Add(10 * time.Minute)
	if err := w.Update(OperatorUser, id, JobUpdate{BeginTime: &until}); err != nil {
		t.Fatal(err)
	}
	advance(w, 10*time.Minute-time.Second)
	if j := get(t, w, id); j.State != "PENDING" || j.Reason != "BeginTime" || !j.EligibleTime.Equal(until) || !j.Start.Equal(until) {
		t.Fatalf("%s %s eligible %v start %v", j.State, j.Reason, j.EligibleTime, j.Start)
	}
	advance(w, 2*time.Second)
	if j := get(t, w, id); j.Reason != "BeginTime" {
		t.Errorf("right after expiry the reason is %s, want the stale one until the next pass", j.Reason)
	}
	advance(w, 30*time.Second) // nothing wakes the scheduler but its own period
	if j := get(t, w, id); j.State != "RUNNING" || j.Start.Before(until) {
		t.Errorf("%s at %v, lease until %v", j.State, j.Start, until)
	}
}

func TestLeaseCancelledStartsPromptly(t *testing.T) {
	w := world(t)
	id := submit(t, w, JobSpec{BeginTime: w.Now().Add(3 * time.Hour)})
	advance(w, time.Minute)
	if err := w.Update("user", id, JobUpdate{BeginTime: Ptr(w.Now().Add(-time.Hour))}); err != nil {
		t.Fatal(err)
	}
	if j := get(t, w, id); !j.EligibleTime.Equal(w.Now().Truncate(time.Second)) {
		t.Errorf("a past begin is stored as %v, want now", j.EligibleTime)
	}
	advance(w, time.Second)
	if s := states(t, w, id); s != "R" {
		t.Errorf("%s one second after the lease was ended", s)
	}
}

func TestLeaseRulesByState(t *testing.T) {
	w := world(t)
	runs, held := submit(t, w, JobSpec{}), submit(t, w, JobSpec{Hold: true})
	advance(w, 5*time.Second)
	until := w.Now().Add(time.Hour).Truncate(time.Second)
	if n := number(w.Update(OperatorUser, runs, JobUpdate{BeginTime: &until})); n != ErrnoNotPending {
		t.Errorf("lease on a running job: %d", n)
	}
	if n := number(w.Update(OperatorUser, held, JobUpdate{BeginTime: &until})); n != 0 {
		t.Errorf("lease on a held job: %d", n)
	}
	if err := w.Release(OperatorUser, held); err != nil {
		t.Fatal(err)
	}
	if j := get(t, w, held); !j.EligibleTime.Equal(until) {
		t.Errorf("a release drops the lease: eligible %v", j.EligibleTime)
	}
}

func TestLeaseAndAge(t *testing.T) {
	for _, limits := range []bool{false, true} {
		w := world(t, func(c *Config) { c.EnforceLimits = limits })
		full(t, w, 5*time.Hour)
		id := submit(t, w, JobSpec{})
		since := get(t, w, id).AccrueTime
		advance(w, time.Hour)
		until := w.Now().Add(time.Hour).Truncate(time.Second)
		if err := w.Update(OperatorUser, id, JobUpdate{BeginTime: &until}); err != nil {
			t.Fatal(err)
		}
		want := since
		if limits {
			want = until
		}
		if got := get(t, w, id).AccrueTime; !got.Equal(want) {
			t.Errorf("limits %t: accrue %v, want %v", limits, got, want)
		}
	}
}

func TestAgeRaisesPriority(t *testing.T) {
	w := world(t, func(c *Config) {
		c.PriorityMaxAge = 10 * time.Hour
		c.Accounts = []Account{{Name: "a", Shares: 1}}
		c.PriorityWeights = PriorityWeights{Age: 1000}
	})
	full(t, w, 20*time.Hour)
	id := submit(t, w, JobSpec{})
	advance(w, 5*time.Hour+10*time.Minute)
	if p := get(t, w, id).Priority; p < 490 || p > 520 {
		t.Errorf("half of the age gives %d of 1000", p)
	}
	advance(w, 8*time.Hour)
	if p := get(t, w, id).Priority; p != 1000 {
		t.Errorf("full age gives %d", p)
	}
}

func TestUsageLowersPriority(t *testing.T) {
	w := world(t, func(c *Config) { c.Accounts = []Account{{Name: "a", Shares: 1}, {Name: "b", Shares: 1}} })
	submit(t, w, JobSpec{User: "u", Account: "a", WorkTime: 3 * time.Hour, TimeLimit: 4 * time.Hour})
	submit(t, w, JobSpec{User: "u", Account: "a", WorkTime: 3 * time.Hour, TimeLimit: 4 * time.Hour})
	advance(w, time.Minute)
	one := submit(t, w, JobSpec{User: "u", Account: "a"})
	two := submit(t, w, JobSpec{User: "v", Account: "b"})
	advance(w, time.Hour)
	if a, b := get(t, w, one).Priority, get(t, w, two).Priority; a >= b || b < 10_000 {
		t.Errorf("who used everything has %d, who used nothing %d", a, b)
	}
}
