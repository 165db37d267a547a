// Package order puts jobs in line: by arrival, by queues of attained service,
// by the share of the cluster an account holds. Every line is total: the same
// jobs in any arrangement give the same line.
package order
