// Package probes turns the samples of the node probes into the devices a
// policy sees: by Slurm's names of GPU types, with what is faulty and how busy
// they are. A node whose probe is silent, stale or of another time is absent,
// which means unknown, never idle.
package probes
