package rest

import (
	"fmt"
	"strconv"
	"strings"
)

// API is what one version of Slurm's REST API can do.
type API struct {
	Version  int    // 45 for v0.0.45
	Releases string // of Slurm that serve it

	PlainBodies bool // bodies take strings and 22.05's field names; otherwise lists and {set,number}
	ListsStates bool // GET jobs/state/ lists ids and states cheaply
	SiteFactor  bool // site_factor can be written
	ShowsNice   bool // a job's nice is shown whatever it is, not only above 0
	BindsRun    bool // an update can be bound to a run by its SLUID
	Requeues    bool // POST jobs/requeue exists; otherwise scontrol requeue
	Writes      bool // we know how to write
	Tried       bool // tried on a live Slurm; otherwise read from its source
}

// apiTable is the capability table, a row a version without a gap. From v0.0.40 on all versions take the same
// bodies.
var apiTable = []API{
	{Version: 38, Releases: "22.05–23.11", PlainBodies: true, Writes: true, Tried: true},
	{Version: 39, Releases: "23.02–24.05", Writes: true},
	{Version: 40, Releases: "23.11–24.11", Writes: true, SiteFactor: true, ShowsNice: true, Tried: true},
	{Version: 41, Releases: "24.05–25.05", Writes: true, SiteFactor: true, ShowsNice: true, Tried: true, ListsStates: true},
	{Version: 42, Releases: "24.11–26.05", Writes: true, SiteFactor: true, ShowsNice: true, Tried: true, ListsStates: true},
	{Version: 43, Releases: "25.05–26.05", Writes: true, SiteFactor: true, ShowsNice: true, Tried: true, ListsStates: true},
	{Version: 44, Releases: "25.11–26.05", Writes: true, SiteFactor: true, ShowsNice: true, Tried: true, ListsStates: true, BindsRun: true},
	{Version: 45, Releases: "26.05", Writes: true, SiteFactor: true, ShowsNice: true, Tried: true, ListsStates: true, BindsRun: true, Requeues: true},
}

// Oldest and Newest bound the versions we know: the first and the last of the table.
var (
	Oldest = apiTable[0].Version
	Newest = apiTable[len(apiTable)-1].Version
)

// knownReleases returns the oldest and the newest release of Slurm that serves a
// version we know.
func knownReleases() (oldest, newest string) {
	oldest, _, _ = strings.Cut(apiTable[0].Releases, "–")
	last := strings.Split(apiTable[len(apiTable)-1].Releases, "–")
	return oldest, last[len(last)-1]
}

// Name returns "v0.0.45".
func (a API) Name() string { return fmt.Sprintf("v0.0.%d", a.Version) }

// Capabilities returns the capabilities of a version.
func Capabilities(version int) (API, bool) {
	if version < Oldest || version > Newest {
		return API{}, false
	}
	return apiTable[version-Oldest], true
}

// ParseName returns the capabilities of the version named like "v0.0.45".
func ParseName(name string) (API, bool) {
	n, ok := parseName(name)
	if !ok {
		return API{}, false
	}
	return Capabilities(n)
}

// parseName reads "v0.0.45".
func parseName(s string) (int, bool) {
	digits, ok := strings.CutPrefix(s, "v0.0.")
	n, err := strconv.Atoi(digits)
	return n, ok && err == nil && n > 0 && digits == strconv.Itoa(n)
}
