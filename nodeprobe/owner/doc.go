// Package owner finds the Slurm job of a process on this node: by its cgroup,
// which only root can change; where Slurm keeps no cgroups, by the title of the
// slurmstepd above it; and last by its environment, which the user can change
// and which is therefore marked.
package owner
