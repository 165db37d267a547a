// Package accounting is the database that keeps what fairbridge knows of the past:
// its connections, its schema, its transactions, and what can be wrong with it. What
// is kept there is asked of the packages below, one a subject; package stores opens
// them all.
package accounting
