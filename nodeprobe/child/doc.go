// Package child keeps the reading of the driver in a process of its own. A call
// into a sick driver can hang where not even SIGKILL ends it, or crash; then
// the child is abandoned or replaced and the probe lives on.
//
// An abandoned child is never killed, since that is known to freeze GPUs: its
// pipes are closed and it ends by itself once the driver returns. At most two
// children exist at any time, so a hanging driver does not collect processes.
package child
