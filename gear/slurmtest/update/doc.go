// Package update reads the bodies of slurmrestd's job updates into what they do
// to a simulated job: plain values as 22.05 takes them, structs and lists as
// v0.0.39 and later do, with what each ignores, misreads and refuses.
package update
