package nodeprobe_test

import (
	"fmt"

	"fairbridge/nodeprobe"
)

// Xid 79 is a fault of the GPU, Xid 13 one of the program on it.
func ExampleFatalXid() {
	fmt.Printf("%q %q", nodeprobe.FatalXid(79), nodeprobe.FatalXid(13))
	// Output: "fallen off the bus" ""
}
