// Package oracle judges what our processes send to a simulated Slurm, and what of
// theirs stands there. It reads what Slurm itself logged of every write, keeps its
// own book of who wrote what, and was written from the sentences of the invariants
// I1 to I23 in docs/safety.md: each is a function of its own, with the sentence
// above it. Of our own code it uses the nouns, never the gate, the ledger or the
// diff: an error there must not be an error here.
package oracle
