// Package chaos runs the control loop on a simulated Slurm in virtual time while
// everything goes wrong that reliability engineering could think of, by one seed:
// calls are lost or come late, lists come back empty, filtered or cut, clocks
// step, slurmctld restarts, nodes die, people change their jobs at any moment, the
// daemon is killed or freezes in the middle of a call, the database fails or is
// restored from a backup, policies panic and flap.
//
// An oracle (package oracle) watches, from the sentences of the invariants I1 to
// I24. After each step it says which sentence was broken; at the end the daemon is
// killed for good, and it looks at what is left.
//
// Where it happens is drawn by the seed (package site), and so are the faults: a
// list of events (package event), each with its own part of chance, so that a
// failing list can be made shorter. What people do is in package people. The same
// seed gives the same run.
package chaos
