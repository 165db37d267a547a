// Command fairbridge schedules GPU jobs on an unmodified Slurm: it watches,
// lets a policy decide, and pushes order, leases, node lists and requeues back.
package main

import "fairbridge/cmd/internal/cli"

func main() { cli.Main(newRootCommand()) }
