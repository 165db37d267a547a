// Package assign matches: jobs to places in the queues of machines so that the
// sum of completion times is least, and vertices of a graph in pairs of the largest
// weight.
package assign
