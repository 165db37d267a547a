// Package api has what can be asked of fairbridge and what it answers: the values behind
// the HTTP interface, version 1, and behind the commands that print them. It knows neither
// where answers come from (package answers) nor how they travel (server, client).
//
// Times are UTC instants. Texts that users wrote (names of jobs, comments) are as Slurm has
// them: who prints them neutralises them.
package api

// Version is the first part of every path. Within it fields and paths are added, never
// renamed, retyped or removed.
const Version = "v1"
