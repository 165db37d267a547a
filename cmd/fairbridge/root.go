package main

import (
	"github.com/spf13/cobra"

	"fairbridge/cmd/fairbridge/simulation"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/version"
)

func newRoot() *cobra.Command {
	o := &cli.Options{}
	root := &cobra.Command{
		Use:   "fairbridge",
		Short: "An external GPU scheduler for Slurm",
		Long: `fairbridge runs beside slurmctld. Every interval it reads the GPU jobs, lets a
policy decide who should run where, and pushes order, leases, requeues and node
lists back into Slurm. If it dies, Slurm alone keeps running every job.

Exit status: 0 done, 1 failed, 2 wrong usage or configuration, 3 done but the
answer is bad (doctor found a fault, the job is not known).`,
		Example: `  fairbridge doctor            is everything as it should be?
  fairbridge plan              what would one cycle do? (changes nothing)
  fairbridge run               the daemon
  fairbridge queue             who is next, and why
  fairbridge explain 4711      why does my job wait?`,
		SilenceUsage: true, SilenceErrors: true,
	}
	version.AddFlag(root)
	o.AddTo(root)
	root.AddCommand(newRun(o), newPlan(o), newQueue(o), newExplain(o), simulation.NewPolicies(o), newDoctor(o),
		newRelease(o), newExpire(o), newReport(o), newJob(o), simulation.NewSimulate(o), simulation.NewCompare(o), simulation.NewReplay(o), simulation.NewTrace(o), newDB(o), newImport(o), newProgress(), newConfig(o), newVersion(o))
	return cli.Group(root)
}
