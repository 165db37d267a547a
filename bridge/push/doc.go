// Package push carries out what was decided and written down: one call after
// another, each job read again right before, while nothing forbids it. It also
// gives everything back, and what a dead daemon left.
package push
