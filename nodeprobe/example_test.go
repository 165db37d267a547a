package nodeprobe_test

import (
	"fmt"

	"fairbridge/nodeprobe"
)

// Xid 79 is a fault of the GPU, Xid 13 one of the program on it.
func ExampleFatal() {
	fmt.Printf("%q %q", nodeprobe.Fatal(79), nodeprobe.Fatal(13))
	// Output: "fallen off the bus" ""
}
