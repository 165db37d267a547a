package rest

import (
	"fmt"
	"strconv"
	"strings"
)

// API is what one version of Slurm's REST API can do.
type API struct {
	Version      int    // 45 for v0.0.45
	ReleaseRange string // of Slurm that serve it

	TakesPlainBodies   bool // bodies take strings and 22.05's field names; otherwise lists and {set,number}
	ListsStates        bool // GET jobs/state/ lists ids and states cheaply
	WritesSiteFactor   bool // site_factor can be written
	WritesAdminComment bool // admin_comment can be written
	ShowsNice          bool // a job's nice is shown whatever it is, not only above 0
	BindsUpdateToRun   bool // an update can be bound to a run by its SLUID
	CanRequeue         bool // POST jobs/requeue exists; otherwise scontrol requeue
	ReadsJobLocally    bool // job/ID takes flags=LOCAL; without it a cluster of a federation asks its siblings too, and fails
	CanWrite           bool // we know how to write
	WasTriedLive       bool // tried on a live Slurm; otherwise read from its source
}

// apiTable is the capability table, a row a version without a gap. From v0.0.40 on
// all versions take the same bodies.
var apiTable = []API{
	{Version: 38, ReleaseRange: "22.05–23.11", TakesPlainBodies: true, CanWrite: true, WasTriedLive: true},
	{Version: 39, ReleaseRange: "23.02–24.05", CanWrite: true},
	{Version: 40, ReleaseRange: "23.11–24.11", CanWrite: true, WritesSiteFactor: true, WritesAdminComment: true, ShowsNice: true, WasTriedLive: true},
	{Version: 41, ReleaseRange: "24.05–25.05", CanWrite: true, WritesSiteFactor: true, WritesAdminComment: true, ShowsNice: true, WasTriedLive: true, ListsStates: true, ReadsJobLocally: true},
	{Version: 42, ReleaseRange: "24.11–26.05", CanWrite: true, WritesSiteFactor: true, WritesAdminComment: true, ShowsNice: true, WasTriedLive: true, ListsStates: true, ReadsJobLocally: true},
	{Version: 43, ReleaseRange: "25.05–26.05", CanWrite: true, WritesSiteFactor: true, WritesAdminComment: true, ShowsNice: true, WasTriedLive: true, ListsStates: true, ReadsJobLocally: true},
	{Version: 44, ReleaseRange: "25.11–26.05", CanWrite: true, WritesSiteFactor: true, WritesAdminComment: true, ShowsNice: true, WasTriedLive: true, ListsStates: true, ReadsJobLocally: true, BindsUpdateToRun: true},
	{Version: 45, ReleaseRange: "26.05", CanWrite: true, WritesSiteFactor: true, WritesAdminComment: true, ShowsNice: true, WasTriedLive: true, ListsStates: true, ReadsJobLocally: true, BindsUpdateToRun: true, CanRequeue: true},
}

// OldestVersion and NewestVersion bound the versions we know: the first and the last of the table.
var (
	OldestVersion = apiTable[0].Version
	NewestVersion = apiTable[len(apiTable)-1].Version
)

// knownReleaseRange returns the oldest and the newest release of Slurm that serves a
// version we know.
func knownReleaseRange() (oldest, newest string) {
	oldest, _, _ = strings.Cut(apiTable[0].ReleaseRange, "–")
	last := strings.Split(apiTable[len(apiTable)-1].ReleaseRange, "–")
	return oldest, last[len(last)-1]
}

// Name returns "v0.0.45".
func (a API) Name() string { return fmt.Sprintf("v0.0.%d", a.Version) }

// APIFromVersion returns what a version can do; false when we do not know it.
func APIFromVersion(version int) (API, bool) {
	if version < OldestVersion || version > NewestVersion {
		return API{}, false
	}
	return apiTable[version-OldestVersion], true
}

// APIFromName returns the capabilities of the version named like "v0.0.45".
func APIFromName(name string) (API, bool) {
	n, ok := parseVersion(name)
	if !ok {
		return API{}, false
	}
	return APIFromVersion(n)
}

// parseVersion reads "v0.0.45".
func parseVersion(s string) (int, bool) {
	digits, ok := strings.CutPrefix(s, "v0.0.")
	n, err := strconv.Atoi(digits)
	return n, ok && err == nil && n > 0 && digits == strconv.Itoa(n)
}
