// Package policytest holds what every policy is tested with: a generator of
// lawful snapshots, the laws a policy must keep, and small cases written as
// text.
package policytest
