package slurmtest

import (
	"net/http"
	"strings"

	"fairbridge/replica/sim"
)

// versionsByRelease lists the API versions of each release, as far as we speak them.
var versionsByRelease = map[string][]int{
	"22.05": {38}, "23.02": {38, 39}, "23.11": {38, 39, 40}, "24.05": {39, 40, 41}, "24.11": {40, 41, 42},
	"25.05": {40, 41, 42, 43}, "25.11": {41, 42, 43, 44}, "26.05": {42, 43, 44, 45},
}

// releaseVersion is the Slurm that is played, "22.05.8".
type releaseVersion string

// is2205 reports whether it is 22.05.
func (r releaseVersion) is2205() bool { return strings.HasPrefix(string(r), "22.05") }

// isAtLeast2605 reports whether it is 26.05 or later, which answers 422 where earlier
// releases answered 500.
func (r releaseVersion) isAtLeast2605() bool { return r >= "26.05" }

// refusalStatus is the HTTP status by which the release answers a refusal by slurmctld.
func (r releaseVersion) refusalStatus(number int) int {
	switch {
	case number == sim.ErrnoNoSuchJob && !r.is2205():
		return http.StatusNotFound
	case r.isAtLeast2605():
		return http.StatusUnprocessableEntity
	}
	return http.StatusInternalServerError
}
