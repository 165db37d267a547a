package main

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"fairbridge/nodeprobe/child"
	"fairbridge/nodeprobe/nvml"
	"fairbridge/nodeprobe/owner"
	"fairbridge/nodeprobe/reader"
)

const readerCommandName = "read-driver"

// newReaderCommand is the child's command. It ends with its input and not by a
// signal, which could hit it within a call to the driver.
func newReaderCommand() *cobra.Command {
	o := &options{}
	c := &cobra.Command{
		Use: readerCommandName, Short: "Take a sample for every line of input (the probe runs this)",
		Hidden: true, Args: checkNoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
			if err := nvml.LimitMemory(); err != nil {
				return err
			}
			l := &reader.Reader{NodeName: o.nodeName, OpenDriver: o.openDriver, JobFinder: owner.JobFinder{ProcDir: "/proc"}, Now: time.Now}
			if err := child.Serve(c.InOrStdin(), c.OutOrStdout(), l.TakeSample); err != nil {
				return err
			}
			return l.Close()
		},
	}
	c.Flags().StringVar(&o.nvmlPath, "nvml", nvml.DefaultLibrary, "NVIDIA's management library")
	c.Flags().StringVar(&o.nodeName, "node", "", "this node's name in Slurm")
	return c
}

func (o *options) openDriver() (reader.Driver, error) {
	d, err := nvml.Open(o.nvmlPath)
	if err != nil {
		return nil, err
	}
	return d, nil
}

// newChildReader returns what asks children for samples: this very program, run as
// read-driver.
func (o *options) newChildReader() (*child.Reader, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return child.New(child.Config{
		Command: func() *exec.Cmd {
			return exec.Command(self, readerCommandName, "--nvml", o.nvmlPath, "--node", o.nodeName)
		},
		Deadline: o.readDeadline, FirstDeadline: 12 * o.readDeadline, MaxRestartPause: 5 * time.Minute, Now: time.Now,
		RestartPause: o.interval * 9 / 10, // over at a tick, not just after it
	}), nil
}
