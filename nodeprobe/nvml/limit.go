package nvml

import (
	"fmt"
	"syscall"
)

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
