// Package credential proves by munge, which every Slurm site runs, who sends a request:
// the client encodes a credential for one request, the daemon decodes it. A credential is
// good for that request alone, once, and for a short time.
//
// Both sides run munge's own commands, so that neither holds its key or links its library.
package credential
