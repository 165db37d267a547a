// Package nvml reads the GPUs of this node from NVIDIA's management library.
// It is the only package that knows go-nvml.
//
// A call to a function that the loaded library lacks would end the process, so
// each is looked up before its first use, and a driver without it leaves that
// one reading unknown. So does a GPU that does not support a reading. A call
// can also hang inside the driver, or crash: use this package in a process
// that may be lost (package child).
package nvml

import (
	"fmt"
	"syscall"
)

// NoDriverError says that this node's GPUs cannot be measured at present: no
// library, no driver, or no permission.
type NoDriverError struct {
	Path   string // the library that was tried
	Reason string
}

// Error says what was tried and why it failed.
func (e *NoDriverError) Error() string {
	return fmt.Sprintf("no NVIDIA driver by %s: %s", e.Path, e.Reason)
}

// DefaultLibrary is the name under which the loader finds the driver's library.
const DefaultLibrary = "libnvidia-ml.so.1"

// maxDataBytes is far more than reading any number of GPUs takes.
const maxDataBytes = 1 << 30

// LimitMemory bounds what this process may allocate. The binding of NVML asks
// again with twice the room, without end, when a faulty driver says that a list
// does not fit: that must end this process and not the node.
func LimitMemory() error {
	if err := syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: maxDataBytes, Max: maxDataBytes}); err != nil {
		return fmt.Errorf("limiting the reader's memory: %w", err)
	}
	return nil
}
