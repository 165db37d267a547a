// Package progress takes what jobs say of their progress, over a socket on their
// node. A job writes one line of JSON and reads one line of JSON back:
//
//	{"epoch": 3, "epochs": 90, "loss": 0.4}
//	{"job": 4711}
//
// Whose report it is the kernel says, by the process at the other end of the
// socket, and not the job: no job can report for another.
package progress

// DefaultSocket is where the probe's unit has its socket.
const DefaultSocket = "/run/nodeprobe/progress.sock"

// maxLineBytes bounds a report.
const maxLineBytes = 4 << 10

// Answer is the probe's answer to a report.
type Answer struct {
	JobID int64  `json:"job,omitempty"`   // whose it is
	SLUID string `json:"sluid,omitempty"` // where only that is known
	Error string `json:"error,omitempty"` // why it was not taken
}
