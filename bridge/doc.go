// Package bridge joins a policy to a cluster. One cycle is
//
//	observe → assemble → decide → gate → diff → intend → apply → settle
//
// The world is looked at twice: before deciding, and again before each push.
// What is not in the journal is not pushed; what was pushed is believed only
// when a later poll shows it. Any doubt ends the cycle without a push: leases
// run out by themselves and Slurm alone goes on scheduling.
//
// Where what is:
//
//	loop.go step.go report.go        the cycle, its order and what is told of it
//	ports.go config.go               what the loop needs of others, and is told
//	assemble.go demand.go capacity.go held.go directive.go
//	                                 Slurm's records become a policy's snapshot
//	think.go decide.go look.go       one partition's thought: policy, then gate
//	diff*.go number.go               a plan becomes edits
//	apply.go before.go halt.go seat.go doubt.go debt.go
//	                                 edits become calls, or do not
//	release.go preview.go            give everything back; look and touch nothing
package bridge
