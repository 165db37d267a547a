// Package gate stands between any policy and any push. It knows no policy, no
// HTTP and no database: pure functions from values to values that let through
// only what the invariants and the budgets allow, and say why not otherwise.
// A policy may be wrong, crash or be hostile; the gate recomputes everything it
// relies on and trusts only the wish.
//
// It is passed twice: Plan looks at the wishes against the snapshot they were
// made from, Edits at the changes about to be sent against a fresh view.
package gate
