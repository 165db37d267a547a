// Package identity tells who sends a request to the daemon and what they may see and do.
//
// Who asks is proven in one of four ways: by the kernel on a unix socket, by a munge
// credential made for this request (package credential), by a reverse proxy that knows a
// secret, or by the cookie of a browser that came through a one-time link. What they may do is
// what Slurm's accounting and the configuration say. What cannot be told gives no rights.
package identity
