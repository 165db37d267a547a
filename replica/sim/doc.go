// Package sim is Slurm as far as a scheduler beside it can see: nodes with
// GPUs, a queue with priorities, holds, begin times and arrays, a main
// scheduler, conservative backfill, requeue with its delay, and accounting of
// every run. It has no clock of its own: virtual time moves only when it is
// told to, every event waits in one heap, and every chance comes from one
// seed, so the same calls give the same log, byte for byte.
//
// A World is reached in three ways: by its methods, as a bridge.Cluster
// (DirectCluster), and over HTTP as slurmrestd (package slurmtest). What it does was
// measured on Slurm 22.05, 24.11 and 26.05; what it leaves out is listed at
// World.
package sim
