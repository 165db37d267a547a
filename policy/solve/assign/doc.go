// Package assign matches: jobs to places in the queues of machines so that the
// sum of completion times is least.
package assign
