// Package cycle runs the loop. One cycle is
//
//	observe → judge → record → settle → assemble → decide → gate → diff → intend → push
//
// The world is looked at twice: before deciding, and again before each push.
// What is not in the journal is not pushed; what was pushed is believed only
// when a later poll shows it. Any doubt ends the cycle without a push: leases
// run out by themselves and Slurm alone goes on scheduling.
package cycle
