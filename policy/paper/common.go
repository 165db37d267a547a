package paper

import (
	"time"

	"fairbridge/policy/engine"
)

// Parameters that several systems share. They set the engine's rules, which
// the papers do not have: real jobs pay for every stop.
var (
	MinRunParam = Param{Name: "min_run", Kind: Duration, Default: "10m", Min: 1,
		Help: "shortest run before a job may be stopped; 20 times its checkpoint cost where that is longer"}
	MaxStopsParam = Param{Name: "max_stops", Kind: Integer, Default: 12, Min: -1,
		Help: "how often one job may be stopped in its life; 0 and -1: without limit"}
	MaxWaitParam = Param{Name: "max_wait", Kind: Duration, Default: "24h",
		Help: "wait after which a job goes to the front of the line with a reservation; 0s: never"}
	// PatientWaitParam is that of systems with PatientRules.
	PatientWaitParam = Param{Name: "max_wait", Kind: Duration, Default: "24h",
		Help: "wait after which a job goes to the front of the line with a reservation; one that no stop could make room for already after twice its own length, at least 2h; 0s: never"}
)

// Rules turns shared parameters into the engine's rules, where 0 stands for a
// default and a negative number for none.
func Rules(minRun time.Duration, maxStops int, maxWait time.Duration) engine.Rules {
	r := engine.Rules{MinRun: minRun, MaxStops: maxStops, MaxWait: maxWait}
	if maxStops == 0 {
		r.MaxStops = -1
	}
	if maxWait == 0 {
		r.MaxWait = -1
	}
	return r
}

// PatientRules are rules for systems that grant leases by turns, in which a gang
// would starve among jobs that must not be stopped: none may pass it after
// twice its own length.
func PatientRules(minRun time.Duration, maxStops int, maxWait time.Duration) engine.Rules {
	r := Rules(minRun, maxStops, maxWait)
	r.Patience, r.Least = 2, 2*time.Hour
	return r
}

// ByParam is that of systems that serve the shortest job first.
var ByParam = Param{Name: "by", Kind: Choice, Default: "time", Choices: []string{"time", "service"},
	Help: "what is shortest: the time left, or that times the GPUs of the job"}
