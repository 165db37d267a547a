// Package quickstart holds the test that follows docs/admin-quickstart.md as a whole,
// command by command, on a real Slurm with slurmdbd and a Postgres that wants to know
// its users. The commands are the page's own.
package quickstart
