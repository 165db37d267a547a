// Package ledger holds the values of the write-ahead ledger: what we meant to
// do to a job, what stood there before, and what came of it. It is pure; the
// rows live in accounting/journal.
//
// Every mutation has one Intent. It is written before it is sent, and believed
// only when a later poll shows its effect. Ownership is by value: we undo only
// a value that is still exactly the one we wrote.
package ledger
