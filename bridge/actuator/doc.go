// Package actuator says all there is to know of each kind of edit but its form,
// which package slurm has: what a plan's decisions want of it, the mode it needs
// and its bounds, what is noted before it, what shows its effect, whose the value
// is, what a foreign change looks like, and how it is undone. It is one table, and
// one file for each thing that can be done to a job. Everything in it is pure.
//
// A new kind of edit is a constant and a form in bridge/slurm/kind.go, a file here,
// and its name in Rows.
//
// Package diff walks the table; gate, ledger, push and cycle ask the row of the edit
// at hand. None of them tells kinds of edit apart by name.
package actuator
