package main

import (
	"github.com/spf13/cobra"

	"fairbridge/cmd/fairbridge/ask"
	"fairbridge/cmd/fairbridge/behindcommand"
	"fairbridge/cmd/fairbridge/bundlecommand"
	"fairbridge/cmd/fairbridge/canaryreport"
	"fairbridge/cmd/fairbridge/erasecommand"
	"fairbridge/cmd/fairbridge/guardcommand"
	"fairbridge/cmd/fairbridge/operate"
	"fairbridge/cmd/fairbridge/policiescommand"
	"fairbridge/cmd/fairbridge/remindercommand"
	"fairbridge/cmd/fairbridge/replaycommand"
	"fairbridge/cmd/fairbridge/shadowreport"
	"fairbridge/cmd/fairbridge/startestimate"
	"fairbridge/cmd/fairbridge/studycommand"
	"fairbridge/cmd/fairbridge/topcommand"
	"fairbridge/cmd/fairbridge/webcommand"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/version"
)

func newRootCommand() *cobra.Command {
	o := &cli.Options{}
	root := &cobra.Command{
		Use:   "fairbridge",
		Short: "An external GPU scheduler for Slurm",
		Long: `fairbridge runs beside slurmctld. Every interval it reads the GPU jobs, lets a
policy decide who should run where, and pushes order, leases, requeues and node
lists back into Slurm. If it dies, Slurm alone keeps running every job.

queue, top, explain, job, when, nodes, shares, behind, changes, report, study, link
and whoami are for everybody: without a configuration they ask the daemon (see fairbridge
queue --help).

Exit status: 0 done, 1 failed, 2 wrong usage or configuration, 3 done but the
answer is bad (doctor found a fault, the job is not known or not yours to see),
4 the daemon could not be reached, or cannot answer now.`,
		Example: `  fairbridge doctor            is everything as it should be?
  fairbridge plan              what would one cycle do? (changes nothing)
  fairbridge run               the daemon
  fairbridge queue --me        where do my jobs stand, and why?
  fairbridge explain 4711      why does my job wait?
  fairbridge when --gpus 8 --time 4h    when would my job start?`,
		SilenceUsage: true, SilenceErrors: true,
	}
	version.AddFlag(root)
	o.AddFlagsTo(root)
	root.AddCommand(newRunCommand(o), newPlanCommand(o), startestimate.NewWhenCommand(o), policiescommand.NewCommand(o), newDoctorCommand(o), bundlecommand.NewCommand(o),
		newReleaseCommand(o), newExpireCommand(o), guardcommand.NewCommand(o), operate.NewCommand(o), replaycommand.NewCommand(o), newDBRootCommand(o), newImportCommand(o), newProgressCommand(o), remindercommand.NewCommand(o), erasecommand.NewCommand(o), newConfigCommand(o), newVersionCommand(o), webcommand.NewCommand(o))
	root.AddCommand(ask.NewCommands(o, shadowreport.NewCommand(o), canaryreport.NewCommand(o))...)
	root.AddCommand(topcommand.NewCommand(o), behindcommand.NewCommand(o), studycommand.NewCommand(o))
	return cli.NewGroupCommand(root)
}
