// Package deadlines holds the claims of papers on deadlines against our systems, on drawn workloads, as package reproduce
// does for the others: as a direction and a conservative ratio, the median over seeds.
package deadlines
