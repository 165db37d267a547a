// Package spool keeps GPU readings on disk while the database cannot be
// reached, up to a limit, and counts what it had to let go. The oldest go
// first.
package spool
