// Package bridge joins a policy to a cluster. One cycle is
//
//	observe → assemble → decide → gate → diff → intend → apply → settle
//
// The world is looked at twice: before deciding, and again before each push.
// What is not in the journal is not pushed; what was pushed is believed only
// when a later poll shows it. Any doubt ends the cycle without a push: leases
// run out by themselves and Slurm alone goes on scheduling.
package bridge
