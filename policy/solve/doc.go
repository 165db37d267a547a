// Package solve holds the numerical methods of the policies: pure functions on
// numbers that know nothing of jobs.
package solve
