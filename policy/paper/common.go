package paper

import (
	"time"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
)

// Parameters that several systems share. They set the engine's rules, which
// the papers do not have: real jobs pay for every stop.
var (
	minRunParam = Param{Name: "min_run", Kind: Duration, Default: "10m", Min: 1,
		Help: "shortest run before a job may be stopped; 20 times its checkpoint cost where that is longer"}
	maxStopsParam = Param{Name: "max_stops", Kind: Integer, Default: 12, Min: -1,
		Help: "how often one job may be stopped in its life; 0 and -1: without limit"}
	maxWaitParam = Param{Name: "max_wait", Kind: Duration, Default: "24h",
		Help: "wait after which a job goes to the front of the line with a reservation; 0s: never"}
	// patientWaitParam is that of systems with patientRules.
	patientWaitParam = Param{Name: "max_wait", Kind: Duration, Default: "24h",
		Help: "wait after which a job goes to the front of the line with a reservation; one that no stop could make room for already after twice its own length, at least 2h; 0s: never"}
)

// rules turns shared parameters into the engine's rules, where 0 stands for a
// default and a negative number for none.
func rules(minRun time.Duration, maxStops int, maxWait time.Duration) engine.Rules {
	r := engine.Rules{MinRun: minRun, MaxStops: maxStops, MaxWait: maxWait}
	if maxStops == 0 {
		r.MaxStops = -1
	}
	if maxWait == 0 {
		r.MaxWait = -1
	}
	return r
}

// patientRules are rules for systems that grant leases by turns, in which a gang
// would starve among jobs that must not be stopped: none may pass it after
// twice its own length.
func patientRules(minRun time.Duration, maxStops int, maxWait time.Duration) engine.Rules {
	r := rules(minRun, maxStops, maxWait)
	r.Patience, r.Least = 2, 2*time.Hour
	return r
}

// reserveAfter lets everybody pass a blocked job that waited less, and gives
// one that waited longer a reservation.
type reserveAfter time.Duration

// Behind implements engine.Backfiller.
func (after reserveAfter) Behind(r *engine.Round, blocked *engine.Entry) func(*engine.Entry, policy.Alloc) error {
	if blocked.Waited(r.Now) < time.Duration(after) {
		return backfill.Greedy{}.Behind(r, blocked)
	}
	return backfill.EASY{}.Behind(r, blocked)
}
