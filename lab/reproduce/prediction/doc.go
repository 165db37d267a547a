// Package prediction tries the systems that decide by what history predicts on drawn workloads, and
// what is learnt from jobs that come again.
package prediction
