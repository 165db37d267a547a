package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/spf13/cobra"

	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/version"
	"fairbridge/nodeprobe/child"
	"fairbridge/nodeprobe/nvml"
	"fairbridge/nodeprobe/owner"
	"fairbridge/nodeprobe/reader"
)

// options are the flags.
type options struct {
	listenAddress  string
	interval       time.Duration
	readDeadline   time.Duration
	nvmlPath       string
	nodeName       string
	progressSocket string
	certFile       string
	keyFile        string
	clientCAFile   string
	tokenFile      string
	samplesOnce    bool
	printsJSON     bool
}

func newRootCommand() *cobra.Command {
	o := &options{}
	root := &cobra.Command{
		Use:   "nodeprobe",
		Short: "Measure this node's GPUs and serve the measurements",
		Long: `nodeprobe reads this node's GPUs through NVIDIA's NVML, finds the Slurm job of
every process on them, and serves both: /v1/sample for fairbridge, /metrics for
Prometheus, /healthz for those who watch it.

It starts and says so where there is no driver, survives a driver that hangs or
crashes (a child process does the reading), and never reports what it does not
know as zero. Stop it before a GPU reset or a driver update: it keeps the driver
open.

Exit status: 0 done, 1 failed, 2 wrong usage, 3 nothing to measure (--once).`,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true}, // one command and a few flags
		Example: `  nodeprobe                          serve this host on port 9810, sample every 15 s
  nodeprobe --listen :9810 --token-file /etc/nodeprobe/token
                                     serve fairbridge, which knows the token too
  nodeprobe --listen unix:/run/nodeprobe.sock
  nodeprobe --progress /run/nodeprobe/progress.sock
                                     also take jobs' reports of their progress
  nodeprobe --once                   one look, as a table
  nodeprobe --once --json            one look, as /v1/sample has it`,
		Args:         checkNoArgs,
		SilenceUsage: true, SilenceErrors: true,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := o.checkFlags(); err != nil {
				return usageError{err}
			}
			if o.samplesOnce {
				return o.sampleOnce(c.Context(), c.OutOrStdout())
			}
			return o.serve(c.Context(), c.ErrOrStderr())
		},
	}
	o.addFlags(root)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usageError{fmt.Errorf("%w; see %s --help", err, c.CommandPath())}
	})
	root.AddCommand(newReaderCommand(), newVersionCommand())
	return root
}

func (o *options) addFlags(c *cobra.Command) {
	version.AddFlag(c)
	f := c.Flags()
	f.StringVar(&o.listenAddress, "listen", "127.0.0.1:9810", "address to serve on, or unix:PATH; beyond this host with a token or certificates only")
	f.DurationVar(&o.interval, "interval", 15*time.Second, "time between samples")
	f.DurationVar(&o.readDeadline, "deadline", 5*time.Second, "time the driver has for one sample (twelve times that for the first)")
	f.StringVar(&o.nvmlPath, "nvml", nvml.DefaultLibrary, "NVIDIA's management library")
	f.StringVar(&o.nodeName, "node", shortHostname(), "this node's name in Slurm")
	f.StringVar(&o.progressSocket, "progress", "", "socket on which jobs report their progress; empty: none")
	f.StringVar(&o.certFile, "tls-cert", "", "certificate for https, PEM; empty: http")
	f.StringVar(&o.keyFile, "tls-key", "", "its key")
	f.StringVar(&o.clientCAFile, "client-ca", "", "with https: clients need a certificate issued by these")
	f.StringVar(&o.tokenFile, "token-file", "", "clients need the token in this file")
	f.BoolVar(&o.samplesOnce, "once", false, "print one sample and end")
	f.BoolVar(&o.printsJSON, "json", false, "with --once: print JSON")
}

// shortHostname is what Slurm calls a node unless it is told otherwise.
func shortHostname() string {
	name, err := os.Hostname()
	if err != nil {
		return ""
	}
	short, _, _ := strings.Cut(name, ".")
	return short
}

func (o *options) checkFlags() error {
	var errs []error
	bad := func(format string, a ...any) { errs = append(errs, fmt.Errorf(format, a...)) }
	if o.interval < 100*time.Millisecond || o.interval > time.Hour {
		bad("--interval %v: give between 100ms and 1h", o.interval)
	}
	if o.readDeadline < 10*time.Millisecond || o.readDeadline > time.Hour {
		bad("--deadline %v: give between 10ms and 1h", o.readDeadline)
	}
	if dog, _ := daemon.SdWatchdogEnabled(false); dog > 0 && o.interval+12*o.readDeadline > dog {
		bad("--interval %v and 12 times --deadline %v are longer than the unit's WatchdogSec, %v: raise that", o.interval, o.readDeadline, dog)
	}
	if o.nodeName == "" {
		bad("--node is empty: give this node's name in Slurm")
	}
	if o.listenAddress == "" || o.listenAddress == "unix:" {
		bad("--listen %q: give an address such as :9810, or unix:PATH", o.listenAddress)
	}
	if !o.samplesOnce && o.tokenFile == "" && o.clientCAFile == "" && !isLocalAddress(o.listenAddress) {
		bad("--listen %s: whoever reaches this could read what jobs run here, and who takes the port could answer in the probe's place: "+
			"give --token-file, or --client-ca with --tls-cert and --tls-key; or listen on 127.0.0.1:9810 or unix:PATH", o.listenAddress)
	}
	if o.printsJSON && !o.samplesOnce {
		bad("--json needs --once: the server's JSON is at /v1/sample")
	}
	if (o.certFile == "") != (o.keyFile == "") {
		bad("--tls-cert and --tls-key: give both or none")
	}
	if o.clientCAFile != "" && o.certFile == "" {
		bad("--client-ca needs --tls-cert and --tls-key")
	}
	return errors.Join(errs...)
}

// isLocalAddress reports whether only this host can reach an address to listen on.
func isLocalAddress(listen string) bool {
	if strings.HasPrefix(listen, "unix:") {
		return true
	}
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return true // listening will say what is wrong with it
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func checkNoArgs(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usageError{fmt.Errorf("unknown argument %q; see %s --help", args[0], c.CommandPath())}
	}
	return nil
}

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

func newVersionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print what this program was built from", Args: checkNoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			printable.Fprintln(c.OutOrStdout(), "nodeprobe", version.ReadInfo())
			return nil
		},
	}
}
