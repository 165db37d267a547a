package slurm_test

import (
	"fmt"

	"fairbridge/bridge/slurm"
)

func ExampleExpandHosts() {
	fmt.Println(slurm.ExpandHosts("gpu[01-03,07],login"))
	// Output: [gpu01 gpu02 gpu03 gpu07 login] <nil>
}

// What an owner says in a job's comment, and what cannot be read of it.
func ExampleReadDirective() {
	d := slurm.ReadDirective("fairbridge:preemptible,ckpt=2m")
	fmt.Println(d.Preemptible, d.CheckpointCost)
	fmt.Println(slurm.ReadDirective("fairbridge:preemtible").UnreadReason)
	// Output:
	// true 2m0s
	// fairbridge:preemtible: unknown key "preemtible"; known are ckpt, class, deadline, gpu_busy, gpu_mem, grace, idle, max, min, opportunistic, preemptible, quiet, service, shareable, signal, soft, types, value
}

func ExampleReadGRES() {
	for _, g := range slurm.ReadGRES("gpu:a100:4(S:0-1),gpu:h100:2").List {
		fmt.Println(g.Name, g.Type, g.Count)
	}
	// Output:
	// gpu a100 4
	// gpu h100 2
}
