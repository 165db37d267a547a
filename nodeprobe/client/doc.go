// Package client pulls samples from the probes of many nodes: in parallel,
// within a deadline, believing no reply that is too large, garbled or of
// another node.
package client
