// Package slots is the clock of ElasticFlow's published simulator (Gu et al., ASPLOS 2023):
// what happens within a slot of 240 s is acted upon at its end, every event costs each running
// job an overhead that grows with its GPUs, and a job's end is recorded as it was reckoned at
// the last event, which may lie in the slot before.
//
// Run carries out the plans of any policy by that clock.
package slots
