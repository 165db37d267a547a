package privacy

import "fairbridge/api"

// Rule is what one viewer may see.
type Rule struct {
	Viewer  *api.Viewer
	Private api.Privacy
}

// SeesJob reports whether a job of a user and an account may be seen.
func (r Rule) SeesJob(user, account string) bool {
	return !r.Private.Jobs || r.Viewer.Owns(user, account)
}

// SeesUse reports whether it may be seen what a user of an account used.
func (r Rule) SeesUse(user, account string) bool {
	return !r.Private.Usage || r.Viewer.Owns(user, account)
}

// SeesAccountUse reports whether it may be seen what a whole account used.
func (r Rule) SeesAccountUse(account string) bool { return r.SeesUse("", account) }

// SeesNodes reports whether nodes may be seen, and who holds them.
func (r Rule) SeesNodes() bool { return !r.Private.Nodes || r.Viewer.IsOperator() }

// SeesPlace reports whether it may be seen where a job of a user and an account runs.
func (r Rule) SeesPlace(user, account string) bool {
	return r.SeesNodes() || r.Viewer.Owns(user, account)
}

// SeesWhy reports whether the reason of a decision about a job of a user and an account may be seen:
// it tells what its account used.
func (r Rule) SeesWhy(user, account string) bool {
	return r.SeesJob(user, account) && r.SeesUse(user, account)
}

// HidesNothing reports whether texts can be shown as they are.
func (r Rule) HidesNothing() bool {
	return r.Viewer.IsOperator() || !r.Private.Jobs && !r.Private.Usage
}
