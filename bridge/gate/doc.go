// Package gate stands between any policy and any push. It knows no policy, no
// HTTP and no database: pure functions from values to values that let through
// only what the invariants and the budgets allow, and say why not otherwise.
// A policy may be wrong, crash or be hostile: what the gate takes from it is what
// it wants, and all else it works out for itself.
//
// It is passed twice: FilterPlan looks at what a policy wants against the snapshot that
// was made from, FilterEdits at the changes about to be sent against the view and the ledger.
package gate
