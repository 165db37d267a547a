//go:build !cgo

package nvml

import "fairbridge/nodeprobe"

// Driver is a loaded driver library.
type Driver struct{}

// Open fails: this program was built without cgo.
func Open(path string) (*Driver, error) {
	return nil, &NoDriver{Path: path, Why: "this program was built without cgo (CGO_ENABLED=1 go build)"}
}

// About describes the driver.
func (*Driver) About() nodeprobe.Driver { return nodeprobe.Driver{} }

// Read measures every GPU.
func (*Driver) Read() ([]nodeprobe.GPU, error) { return nil, nil }

// Close gives the library back.
func (*Driver) Close() error { return nil }
