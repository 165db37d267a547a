// Package packs is the clock of Muri's published simulator (Zhao et al., SIGCOMM 2022): whenever
// jobs arrive or end, a Rule says from scratch which jobs run and which of them share GPUs as a
// pack; running jobs then lose, at each such event, the seconds that a start takes.
//
// The rules that simulator came with are restated as they are, quirks included: SRTF, SRSF and Tiresias
// here, AntMan and Muri itself in the tests of package golden. Any other rule can be put in their place; Simulate
// puts any policy there.
package packs
