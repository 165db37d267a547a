// Package api has what can be asked of fairbridge and what it answers: the values behind
// the HTTP interface, version 1, and behind the commands that print them. It knows neither
// where answers come from (package answers) nor how they travel (server, client).
//
// Times are UTC instants. Texts that users wrote (names of jobs, comments) are as Slurm has
// them: who prints them neutralises them.
package api

import (
	"errors"
	"net/http"
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/policy"
)

// Health says whether fairbridge works. It is public, and names no job, user or account.
type Health struct {
	Cluster string `json:"cluster"`
	Version string `json:"version"`
	// Status is ok; observing where no partition may be changed; doubt where something keeps
	// everything from being sent; stale where no cycle ended lately.
	Status     string           `json:"status"`
	Partitions []PartitionState `json:"partitions"` // without reasons
	Daemon     DaemonHealth     `json:"daemon"`
}

// DaemonHealth is what is public of the daemon.
type DaemonHealth struct {
	Leads      bool      `json:"leads"` // some daemon does
	DoubtSince time.Time `json:"doubt_since,omitzero"`
	Database   bool      `json:"database"` // could be asked
}

// Policies says what decides where, and in which mode.
type Policies struct {
	Partitions []PartitionPolicy `json:"partitions"`
	Daemon     DaemonState       `json:"daemon"`
}

// PartitionPolicy is what decides in a partition.
type PartitionPolicy struct {
	PartitionState
	ConfiguredMode bridge.Mode      `json:"configured_mode"`
	Demotion       *bridge.Demotion `json:"demotion,omitempty"` // what lowered the mode
	// Canary is the policy that decides on some days, with its parameters; "": none does.
	Canary string `json:"canary,omitempty"`
}

// NodeQuery says which nodes are wanted; an empty field matches every node.
type NodeQuery struct {
	Partitions []string
	Names      []string
	Limit      int    // as of QueueQuery
	After      string // as of QueueQuery
}

// Nodes is the map of nodes and their GPUs: what is given to jobs beside what is measured.
type Nodes struct {
	AsOf  time.Time `json:"as_of,omitzero"` // the last cycle
	Stale bool      `json:"stale"`
	Nodes []Node    `json:"nodes"` // by name
	Total int       `json:"total"`
	Next  string    `json:"next,omitempty"`
}

// Node is a node with GPUs.
type Node struct {
	Name       string      `json:"name"`
	Partitions []string    `json:"partitions"`
	Down       string      `json:"down,omitempty"` // why nothing new may start there; "": something may
	GPUs       []NodeGPUs  `json:"gpus"`           // by type
	Jobs       []NodeJob   `json:"jobs"`           // that hold GPUs there and may be seen
	HiddenJobs int         `json:"hidden_jobs,omitempty"`
	Devices    []DeviceUse `json:"devices,omitempty"` // as the node probe measured them last; none: not measured
}

// NodeGPUs are the GPUs of one type on a node.
type NodeGPUs struct {
	Type      string `json:"type"`
	Count     int    `json:"count"`
	Sick      int    `json:"sick,omitempty"` // measured as faulty, or lost
	Allocated int    `json:"allocated"`
}

// NodeJob is a job on a node.
type NodeJob struct {
	Address string `json:"address"`
	User    string `json:"user"`
	Account string `json:"account"`
	GPUs    int    `json:"gpus"`
}

// DeviceUse is one GPU as it was measured last.
type DeviceUse struct {
	UUID   string               `json:"uuid"`
	Type   string               `json:"type"`
	At     time.Time            `json:"at"`
	Busy   policy.OptionalValue `json:"busy"`   // part 0..1
	Memory policy.OptionalValue `json:"memory"` // part 0..1
	Watts  policy.OptionalValue `json:"watts"`
}

// Shares is what accounts are entitled to, hold, want and used.
type Shares struct {
	AsOf     time.Time      `json:"as_of,omitzero"`
	Stale    bool           `json:"stale"`
	HalfLife float64        `json:"half_life"` // seconds after which use counts half
	Accounts []AccountShare `json:"accounts"`  // by name
	Users    []UserShare    `json:"users"`     // by account and name, that may be seen
	Hidden   int            `json:"hidden,omitempty"`
}

// AccountShare is one account's, with that of all accounts below it. What is private of it is not there: not 0.
type AccountShare struct {
	Name         string  `json:"name"`
	Parent       string  `json:"parent,omitempty"`
	Weight       float64 `json:"weight"`   // shares among its siblings
	Entitled     float64 `json:"entitled"` // part 0..1 of the cluster, by weights along the tree
	*AccountUse          // nil: private
	*AccountJobs         // nil: private
	// Words says where the account stands, as a sentence.
	Words string `json:"words"`
}

// AccountUse is what an account used.
type AccountUse struct {
	UsedPart    float64           `json:"used_part"` // part 0..1 of all decayed service
	UsedService policy.GPUSeconds `json:"used"`      // decayed, as it is charged
	// HeldService is likewise decayed, of GPUs of any type alike; absent: as UsedService.
	HeldService   policy.GPUSeconds `json:"held,omitempty"`
	RecentService policy.GPUSeconds `json:"recent"` // of the last 24 hours
}

// AccountJobs is what the jobs of an account hold and want.
type AccountJobs struct {
	RunningGPUs int `json:"running_gpus"` // it holds now
	WaitingGPUs int `json:"waiting_gpus"` // its waiting jobs ask for
	WaitingJobs int `json:"waiting_jobs"`
}

// UserShare is one user's within an account.
type UserShare struct {
	Name        string            `json:"name"`
	Account     string            `json:"account"`
	UsedService policy.GPUSeconds `json:"used"` // decayed, as it is charged
	HeldService policy.GPUSeconds `json:"held,omitempty"`
	RunningGPUs int               `json:"running_gpus"`
	WaitingJobs int               `json:"waiting_jobs"`
}

// Code says of which kind an error is.
type Code string

// The codes.
const (
	CodeBadRequest      Code = "bad_request"     // what is asked makes no sense; Message names what
	CodeUnauthenticated Code = "unauthenticated" // it was not proven who asks
	CodeForbidden       Code = "forbidden"       // it was, and they may not
	CodeNotFound        Code = "not_found"       // there is none, or it is private: the answer does not tell which
	CodeConflict        Code = "conflict"        // it changed since it was confirmed
	CodeTooLarge        Code = "too_large"       // headers, body or address
	CodeTooMany         Code = "too_many"        // requests; try again later
	CodeUnavailable     Code = "unavailable"     // what is needed for the answer is out of reach now
	CodeInternal        Code = "internal"        // a fault of ours
)

var statusByCode = map[Code]int{
	CodeBadRequest: http.StatusBadRequest, CodeUnauthenticated: http.StatusUnauthorized, CodeForbidden: http.StatusForbidden,
	CodeNotFound: http.StatusNotFound, CodeConflict: http.StatusConflict, CodeTooLarge: http.StatusRequestEntityTooLarge,
	CodeTooMany: http.StatusTooManyRequests, CodeUnavailable: http.StatusServiceUnavailable, CodeInternal: http.StatusInternalServerError,
}

// Error is an error that is told to who asks. Its message holds no secret and nothing that
// is not theirs to see.
type Error struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`       // what was wrong
	Try     string `json:"try,omitempty"` // what to try
}

// Error says what was wrong, and what to try.
func (e *Error) Error() string {
	if e.Try == "" {
		return e.Message
	}
	return e.Message + ": " + e.Try
}

// Status is the HTTP status of the error.
func (e *Error) Status() int { return statusByCode[e.Code] }

// CausedError is an Error with its cause, which is for the log and not for who asks.
type CausedError struct {
	Told  *Error
	Cause error
}

// Error is what is told.
func (e *CausedError) Error() string { return e.Told.Error() }

// Unwrap returns what is told, and its cause.
func (e *CausedError) Unwrap() []error { return []error{e.Told, e.Cause} }

// CodeOf returns the code of an error, CodeInternal where it has none.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return CodeInternal
}

// Role is what somebody may do, the least first.
type Role string

// The roles.
const (
	RoleUser        Role = "user"        // sees their own jobs and what is public
	RoleCoordinator Role = "coordinator" // besides, the accounts they coordinate in Slurm, with those below
	RoleOperator    Role = "operator"    // sees everything, and may act: Slurm's Operators, Administrators and who the configuration names
)

// Viewer is who asks, and the answer to who am I.
type Viewer struct {
	User string `json:"user"`
	Role Role   `json:"role"`
	// Accounts are those that a coordinator coordinates, with all below them, sorted.
	Accounts []string `json:"accounts,omitempty"`
	// Origin is how it was proven who asks: munge, socket, browser, proxy, or local for who
	// reads the record itself.
	Origin string `json:"origin"`
	// RoleUnknown says why it could not be told whether the role is a higher one; "": it could.
	RoleUnknown string `json:"role_unknown,omitempty"`
	// Private is what of others is private here, and where that is said; null: it was not asked for, or
	// the record is read, where nothing is private.
	Private *Privacy `json:"private,omitempty"`
}

// The origins of a viewer.
const (
	OriginMunge   = "munge"
	OriginSocket  = "socket"
	OriginProxy   = "proxy"
	OriginBrowser = "browser"
	OriginLocal   = "local"
)

// NewLocalOperator is who reads configuration and database themselves.
func NewLocalOperator(user string) Viewer {
	return Viewer{User: user, Role: RoleOperator, Origin: OriginLocal}
}

// IsOperator reports whether the viewer sees everything and may act.
func (v *Viewer) IsOperator() bool { return v.Role == RoleOperator }

// Owns reports whether something of a user and an account is the viewer's to see whatever is
// private: their own, of an account they coordinate, or they are an operator.
func (v *Viewer) Owns(user, account string) bool {
	return v.IsOperator() || user != "" && user == v.User || slices.Contains(v.Accounts, account)
}

// Privacy is what only its owner, the coordinators of its account and operators see. The
// zero value: everything is public, as in Slurm without PrivateData.
type Privacy struct {
	Jobs  bool `json:"jobs"`  // other users' jobs
	Usage bool `json:"usage"` // what other users and accounts used, and their shares
	Nodes bool `json:"nodes"` // the nodes and who holds them
	// Source is where it is from: slurm.conf or slurmdbd.conf (PrivateData), or configuration.
	Source string `json:"source,omitempty"`
}

// AllPrivate is what holds while it is not known what is private.
func AllPrivate(source string) Privacy { return Privacy{true, true, true, source} }

// Version is the first part of every path. Within it fields and paths are added, never
// renamed, retyped or removed.
const Version = "v1"
