package slurmtest

import (
	"net/http"
	"strings"

	"fairbridge/bridge/sim"
)

// release is the Slurm that is played, "22.05.8".
type release string

// old reports whether it is 22.05.
func (r release) old() bool { return strings.HasPrefix(string(r), "22.05") }

// newest reports whether it is 26.05 or later, which answers 422 where earlier
// releases answered 500.
func (r release) newest() bool { return r >= "26.05" }

// status is how the release answers a refusal by slurmctld.
func (r release) status(number int) int {
	switch {
	case number == sim.NoSuchJob && !r.old():
		return http.StatusNotFound
	case r.newest():
		return http.StatusUnprocessableEntity
	}
	return http.StatusInternalServerError
}
