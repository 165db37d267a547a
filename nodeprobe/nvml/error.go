package nvml

import (
	"fmt"
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
