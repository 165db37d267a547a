// Package site is where a trial of package chaos plays: a small cluster, its
// people and our daemons' configuration, drawn by a seed. Nothing here goes wrong.
package site
