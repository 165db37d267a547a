// Package chaos runs the control loop on a simulated Slurm in virtual time while
// everything goes wrong that reliability engineering could think of, by one seed:
// calls are lost or come late, lists come back empty, filtered or cut, clocks
// step, slurmctld restarts, nodes die, people change their jobs at any moment, the
// daemon is killed or freezes in the middle of a call, the database fails or is
// restored from a backup, policies panic and flap.
//
// An oracle watches. It reads what Slurm itself logged of every write, keeps its
// own book of who wrote what, and knows nothing of the ledger, the gate or the
// diff: it was written from the sentences of the invariants I1 to I22. After each
// step it says which sentence was broken; at the end it kills the daemon for good
// and looks at what is left.
//
// The faults of a seed are a list of events, each with its own part of chance, so
// that a failing list can be made shorter. The same seed gives the same run.
package chaos
