// Package fairbridge is the root of the module. It holds no code, only the test
// of the rules every package keeps: who may import whom, what a policy may not
// contain, how long a file and how wide a line may be, and that everything
// exported is explained.
package fairbridge
