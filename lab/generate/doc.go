// Package generate makes up workloads as papers and clusters describe them. The
// same value and seed give the same jobs, to the bit; a field that is zero
// means its default. Jobs are sorted by arrival and numbered from 1.
package generate
