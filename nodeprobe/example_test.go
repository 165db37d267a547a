package nodeprobe_test

import (
	"fmt"

	"fairbridge/nodeprobe"
)

// Xid 79 is a fault of the GPU, Xid 13 one of the program on it.
func ExampleFatalXidText() {
	fmt.Printf("%q %q", nodeprobe.FatalXidText(79), nodeprobe.FatalXidText(13))
	// Output: "fallen off the bus" ""
}
