package accounting

import (
	"testing"
	"time"

	"fairbridge/bridge/push"
)

// alone returns who leads and for how long no daemon has, to the minute.
func alone(t *testing.T, d *DB) (string, time.Duration) {
	t.Helper()
	leader, long, err := d.Beat(t.Context(), testCluster)
	must(t, err)
	return leader, long.Truncate(time.Minute)
}

func TestBeatKnowsWhenADaemonLedLast(t *testing.T) {
	d := fresh(t)
	later := func() { // ten minutes
		for _, q := range []string{
			"update fairbridge.leader set expires = expires - interval '10 min 1 s'",
			"update fairbridge.expiry set beat = beat - interval '10 min 1 s', led = led - interval '10 min 1 s'",
		} {
			_, err := d.pool.Exec(t.Context(), q)
			must(t, err)
		}
	}
	if _, ok, err := d.LastExpiry(t.Context(), testCluster); ok || err != nil {
		t.Errorf("before the first beat: %v %v", ok, err)
	}
	if who, long := alone(t, d); who != "" || long != 0 {
		t.Errorf("on an empty database %q leads, alone for %v", who, long)
	}
	later()
	if ago, ok, err := d.LastExpiry(t.Context(), testCluster); !ok || err != nil || ago.Truncate(time.Minute) != 10*time.Minute {
		t.Errorf("the last beat was %v ago: %v %v", ago, ok, err)
	}
	lead(t, d, "a")
	if who, long := alone(t, d); who != "a" || long != 0 {
		t.Errorf("while a leads: %q, alone for %v", who, long)
	}
	later()
	if who, long := alone(t, d); who != "" || long < 8*time.Minute || long > 10*time.Minute {
		t.Errorf("nine minutes after its lease: %q, alone for %v", who, long)
	}
	expire := "timer" + push.ExpirySuffix
	lead(t, d, expire)
	if who, long := alone(t, d); who != expire || long < 8*time.Minute {
		t.Errorf("its own leadership counts as a daemon's: %q, alone for %v", who, long)
	}
	must(t, d.Resign(t.Context(), testCluster, expire))
	later()
	if who, long := alone(t, d); who != "" || long < 18*time.Minute {
		t.Errorf("ten minutes later: %q, alone for %v", who, long)
	}
}
