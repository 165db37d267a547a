// Package serve keeps a node's newest sample and serves it: as JSON for the
// bridge (/v1/sample), for Prometheus (/metrics), and its own state (/healthz).
// While the driver does not answer, the last good sample is served and marked
// stale.
package serve
