// Package loginnode tries what a plain user of a login node can ask and may see: the real
// daemon on one host, the real fairbridge command and attackers on another. Both hosts are
// namespaces of this machine, with a network, users and a munged of their own.
package loginnode
