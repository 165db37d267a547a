// Package bridge holds the nouns and ports of the bridge between a policy and a
// cluster: what the loop is told, what a cycle knows, what is written down, and
// what the loop needs of others. The verbs are packages of their own:
//
//	slurm      Slurm's records, read; slurm/writer writes
//	judge ask  whether a view may be believed; what lists leave out is asked about
//	intake     view and past become a policy's snapshot
//	invariant  the sentences that are kept true
//	actuator   what each kind of edit means
//	gate       what of a plan may be sent, and which edits
//	diff       a plan becomes edits
//	ledger     what of ours stands in Slurm, and what came of what was sent
//	push       edits become calls, or do not; everything is given back
//	cycle      the loop over all of these
package bridge
