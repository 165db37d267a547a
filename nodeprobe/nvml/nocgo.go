//go:build !cgo

package nvml

import "fairbridge/nodeprobe"

// Driver is a loaded driver library.
type Driver struct{}

// Open fails: this program was built without cgo.
func Open(path string) (*Driver, error) {
	return nil, &NoDriverError{Path: path, Reason: "this program was built without cgo (CGO_ENABLED=1 go build)"}
}

// Info describes the driver.
func (*Driver) Info() nodeprobe.DriverInfo { return nodeprobe.DriverInfo{} }

// ReadGPUs measures every GPU.
func (*Driver) ReadGPUs() ([]nodeprobe.GPU, error) { return nil, nil }

// Close gives the library back.
func (*Driver) Close() error { return nil }
