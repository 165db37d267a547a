// Package trace reads the histories of clusters, published and one's own, as
// workloads for the simulator, and writes them in a format of ours.
package trace
