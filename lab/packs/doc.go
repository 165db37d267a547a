// Package packs is the clock of Muri's published simulator (Zhao et al., SIGCOMM 2022): whenever
// jobs arrive or end, a Rule says from scratch which jobs run and which of them share GPUs as a
// pack; running jobs then lose, at each such event, the seconds that a start takes.
//
// Simulate puts a policy in the place of the rule. The rules that the simulator came with are restated as they
// are, quirks included, in the tests of package golden.
package packs
