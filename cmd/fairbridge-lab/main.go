// Command fairbridge-lab tries policies on traces and drawn workloads, and trains those that learn. It is no part of
// the service beside Slurm.
package main

import (
	"fairbridge/cmd/fairbridge-lab/root"
	"fairbridge/cmd/internal/cli"
)

func main() { cli.Main(root.NewCommand()) }
