// Package pool keeps what is free of a cluster, and finds room in it for gangs.
package pool
