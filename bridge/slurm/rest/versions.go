package rest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/internal/restconn"
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

// readServedVersions reads the API versions of slurmctld's part of an OpenAPI document.
func readServedVersions(r io.Reader) ([]int, error) {
	var doc struct {
		Paths map[string]json.RawMessage `json:"paths"`
	}
	if err := json.NewDecoder(r).Decode(&doc); err != nil {
		return nil, fmt.Errorf("the OpenAPI document: %w", err)
	}
	var list []int
	for path := range doc.Paths {
		rest, ok := strings.CutPrefix(path, "/slurm/")
		name, tail, _ := strings.Cut(rest, "/")
		if v, known := parseVersion(name); ok && known && strings.TrimSuffix(tail, "/") == "jobs" {
			list = append(list, v)
		}
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

// chooseVersion picks the highest version both sides know, or the pinned one. A
// slurmrestd that serves newer ones is of a Slurm whose jobs and nodes may have what we do
// not know: it is read and never written, by the nearest version, unless one is
// pinned. The warning is for people; "" when there is nothing to say.
func chooseVersion(served []int, pin string) (api API, warning string, err error) {
	if pin != "" {
		return choosePinnedVersion(served, pin)
	}
	unknown := slices.IndexFunc(served, func(v int) bool { return v > NewestVersion }) // the first of those unknown
	for _, v := range slices.Backward(served) {
		if a, ok := APIFromVersion(v); ok && unknown < 0 {
			return a, formatUntriedWarning(a), nil
		} else if ok {
			a.CanWrite = false
			return a, fmt.Sprintf("slurmrestd serves %s, newer than v0.0.%d, the newest we know: reading %s, changing nothing; "+
				"slurm.api: %[3]s in the configuration lets it write all the same",
				API{Version: served[unknown]}.Name(), NewestVersion, a.Name()), nil
		}
	}
	if unknown >= 0 {
		a, _ := APIFromVersion(NewestVersion)
		a.Version, a.CanWrite, a.WasTriedLive = served[unknown], false, false
		return a, fmt.Sprintf("slurmrestd serves only API versions newer than v0.0.%d, the newest we know: "+
			"reading %s as if it were that, changing nothing", NewestVersion, a.Name()), nil
	}
	oldest, last := knownReleaseRange()
	return API{}, "", fmt.Errorf("slurmrestd serves %s, and we need v0.0.%d to v0.0.%d (Slurm %s to %s)",
		formatVersions(served), OldestVersion, NewestVersion, oldest, last)
}

func choosePinnedVersion(served []int, pin string) (API, string, error) {
	v, ok := parseVersion(pin)
	a, known := APIFromVersion(v)
	switch {
	case !ok || !known:
		return a, "", fmt.Errorf("api %q: want v0.0.%d to v0.0.%d, or nothing to choose the best", pin, OldestVersion, NewestVersion)
	case !slices.Contains(served, v):
		return a, "", fmt.Errorf("api %s is configured, but slurmrestd serves %s", pin, formatVersions(served))
	}
	return a, formatUntriedWarning(a), nil
}

func formatUntriedWarning(a API) string {
	if a.WasTriedLive {
		return ""
	}
	return fmt.Sprintf("API %s (Slurm %s) was never tried on a live Slurm: try it in observe mode first", a.Name(), a.ReleaseRange)
}

func formatVersions(served []int) string {
	if len(served) == 0 {
		return "no version of the slurm API"
	}
	var list []string
	for _, v := range served {
		list = append(list, API{Version: v}.Name())
	}
	return strings.Join(list, ", ")
}

// session is a connection, and the API version that was agreed on.
type session struct {
	conn            *restconn.Conn
	pinnedVersion   string // the version the configuration wants; "" for the best
	onVersionChange func() // called when another version is agreed on

	mu             sync.Mutex // what follows
	api            API
	versionWarning string
}

// API returns the version in use and what it can do.
func (s *session) API() API {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.api
}

// VersionWarning says what people should know about the version in use; "" when
// there is nothing.
func (s *session) VersionWarning() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.versionWarning
}

// Token returns what the current token says of itself.
func (s *session) Token() (restconn.Token, error) { return s.conn.Token() }

// Conn returns the connection, for package writer.
func (s *session) Conn() *restconn.Conn { return s.conn }

// negotiateVersion asks slurmrestd which versions it serves and picks one.
func (s *session) negotiateVersion(ctx context.Context) error {
	var served []int
	_, err := s.conn.Get(ctx, "/openapi/v3", func(r io.Reader) (slurm.ReplyMeta, error) {
		var err error
		served, err = readServedVersions(r)
		return slurm.ReplyMeta{}, err
	})
	if err != nil {
		return fmt.Errorf("asking slurmrestd for its API versions: %w", err)
	}
	api, warning, err := chooseVersion(served, s.pinnedVersion)
	if err != nil {
		return &slurm.Error{Class: slurm.ErrorVersionNotServed, Err: err}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.api.Version != api.Version {
		s.onVersionChange()
	}
	s.api, s.versionWarning = api, warning
	return nil
}

// get reads one path of the version in use. When slurmrestd no longer serves
// the version, another is agreed on and the read is done again.
func (s *session) get(ctx context.Context, path string, read restconn.BodyReader) (slurm.ReplyMeta, error) {
	meta, err := s.conn.Get(ctx, "/slurm/"+s.API().Name()+"/"+path, read)
	var e *slurm.Error
	if !errors.As(err, &e) || e.Class != slurm.ErrorVersionNotServed {
		return meta, err
	}
	if err := s.negotiateVersion(ctx); err != nil {
		return meta, err
	}
	return s.conn.Get(ctx, "/slurm/"+s.API().Name()+"/"+path, read)
}

// ReadRights returns the Slurm user we are and the administrator level slurmdbd
// gives it: "None", "Operator" or "Administrator". It fails where there is no
// slurmdbd, level "" then, or the user is only known to slurmrestd, which has level "None".
func (c *Client) ReadRights(ctx context.Context) (user, level string, err error) {
	user = c.conn.User()
	if user == "" {
		return "", "", errors.New("slurmrestd authenticates this socket by its own user: look at that user with sacctmgr show user")
	}
	path := "/slurmdb/" + c.API().Name() + "/user/" + url.PathEscape(user)
	_, err = c.conn.Get(ctx, path, func(r io.Reader) (m slurm.ReplyMeta, err error) {
		level, err = readAdminLevel(r, user)
		return m, err
	})
	if err != nil {
		return user, level, fmt.Errorf("asking slurmdbd for the rights of %s: %w", user, err)
	}
	return user, level, nil
}

// readAdminLevel finds the user's administrator_level, a word in 22.05 and a list
// of words later.
func readAdminLevel(r io.Reader, user string) (string, error) {
	var doc struct {
		Users []struct {
			Name  string          `json:"name"`
			Level json.RawMessage `json:"administrator_level"`
		} `json:"users"`
	}
	if err := json.NewDecoder(r).Decode(&doc); err != nil {
		return "", err
	}
	for _, u := range doc.Users {
		if u.Name == user {
			return strings.Trim(strings.TrimSpace(string(u.Level)), "[]\" \n\t"), nil
		}
	}
	return "None", fmt.Errorf("slurmdbd does not know user %s: "+
		"sacctmgr add user %s account=root adminlevel=Operator", user, user)
}
