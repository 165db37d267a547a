package api

import "slices"

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
