// Package people is what owners of jobs and administrators do in a trial of package
// chaos: they submit, hold, release, change, cancel and requeue jobs, and set nodes
// aside, and ask no one.
package people
