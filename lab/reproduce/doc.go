// Package reproduce holds the claims of each paper against our simulator, on
// workloads drawn by work/draw: directions and conservative ratios, as medians
// over seeds. It has tests only.
package reproduce
