package demo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"time"

	"fairbridge/cmd/fairbridge-demo/workday"
	"fairbridge/nodeprobe/client"
	"fairbridge/nodeprobe/fakenvml"
	"fairbridge/policy"
)

// probes are one nodeprobe a node. Each loads a driver library whose GPUs are
// as busy as the jobs on the node make them.
type probes struct {
	dir              string
	processes        []*process
	gpusPerNodeByJob map[string]int // GPUs a job holds on each node, by name
}

func nodeName(i int) string { return fmt.Sprintf("n%d", i+1) }

// startProbes builds the driver library and starts the probes, with their
// sockets in a directory that is there.
func startProbes(binary, dir string, day []workday.Job) (*probes, error) {
	if _, err := os.Stat(binary); err != nil {
		return nil, fmt.Errorf("no nodeprobe (make build makes it): %w", err)
	}
	lib, err := fakenvml.BuildLibrary(dir)
	if err != nil {
		return nil, err
	}
	p := &probes{dir: dir, gpusPerNodeByJob: map[string]int{}}
	for i := range day {
		p.gpusPerNodeByJob[day[i].Name] = day[i].GPUsPerNode
	}
	if err := p.updateStates(nil); err != nil {
		return nil, err
	}
	for i := range workday.NodeCount {
		node := nodeName(i)
		cmd := exec.Command(binary, "--node", node, "--listen", "unix:"+p.socketPath(node), "--interval", "2s", "--nvml", lib)
		cmd.Env = append(os.Environ(), fakenvml.StateVariable+"="+p.statePath(node))
		c, err := startProcess("nodeprobe of "+node, cmd, filepath.Join(p.dir, "nodeprobe-"+node+".log"))
		if err != nil {
			return nil, errors.Join(err, p.stop())
		}
		p.processes = append(p.processes, c)
	}
	return p, nil
}

func (p *probes) socketPath(node string) string { return filepath.Join(p.dir, node+".sock") }

func (p *probes) statePath(node string) string { return filepath.Join(p.dir, node+".gpus") }

// urlPattern is where fairbridge finds them.
func (p *probes) urlPattern() string { return "unix:" + p.socketPath("{node}") }

// updateStates makes the GPUs as busy as the running jobs do.
func (p *probes) updateStates(queue []queuedTask) error {
	held := map[string]int{}
	for _, q := range queue {
		for _, node := range q.Nodes {
			held[node] += p.gpusPerNodeByJob[q.JobName]
		}
	}
	for i := range workday.NodeCount {
		list := make([]fakenvml.GPU, workday.GPUsPerNode)
		for g := range list {
			list[g] = fakenvml.GPU{Watts: 60, TempC: 31}
			if g < held[nodeName(i)] {
				list[g] = fakenvml.GPU{BusyPercent: 95, UsedMB: 61_000, TotalMB: 81_920, Watts: 380, TempC: 64}
			}
		}
		if err := fakenvml.WriteState(p.statePath(nodeName(i)), list); err != nil {
			return err
		}
	}
	return nil
}

// describeMeasured asks the probes and says in a few words what they measure.
func (p *probes) describeMeasured(ctx context.Context) (string, error) {
	where := map[string]string{}
	for i := range workday.NodeCount {
		where[nodeName(i)] = "unix:" + p.socketPath(nodeName(i))
	}
	samples, err := client.New(client.Config{}).PullSamples(ctx, where)
	if err != nil {
		return "", fmt.Errorf("asking the probes: %w", err)
	}
	gpus, busy, watts := 0, 0.0, 0.0
	for _, s := range samples {
		for i := range s.GPUs {
			gpus++
			busy += s.GPUs[i].Busy.Value
			watts += s.GPUs[i].Watts.Value
		}
	}
	return fmt.Sprintf("%d probes measure %s, %.0f %% busy, %.1f kW", len(samples), policy.FormatCount(gpus, "GPU"), 100*busy/max(float64(gpus), 1), watts/1000), nil
}

// checkRunning returns why a probe ended by itself, or nil while all run.
func (p *probes) checkRunning() error {
	for _, c := range p.processes {
		if err := c.checkRunning(); err != nil {
			return err
		}
	}
	return nil
}

func (p *probes) stop() error {
	var errs []error
	for _, c := range p.processes {
		errs = append(errs, c.stop())
	}
	return errors.Join(errs...)
}

// process is a program that runs beside the demonstration and ends with it,
// however that ends.
type process struct {
	name       string
	cmd        *exec.Cmd
	outputTail *outputTail
	done       chan struct{}
	err        error // valid when done
}

// startProcess starts a program in a process group of its own, so that Ctrl-C reaches
// it through us and in our order. What it says goes to a log file.
func startProcess(name string, cmd *exec.Cmd, logPath string) (*process, error) {
	log, err := os.OpenFile(logPath, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	c := &process{name: name, cmd: cmd, outputTail: &outputTail{}, done: make(chan struct{})}
	both := io.MultiWriter(c.outputTail, log)
	cmd.Stdout, cmd.Stderr = both, both
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // Pdeathsig counts the death of the thread that started it
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			c.err = cmd.Wait()
			close(c.done)
		}
		_ = log.Close()
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	return c, nil
}

// checkRunning returns why the program ended by itself, or nil while it runs.
func (c *process) checkRunning() error {
	select {
	case <-c.done:
		return fmt.Errorf("%s ended: %v: %s", c.name, c.err, c.outputTail)
	default:
		return nil
	}
}

// stopTimeout is how long a program has to end: fairbridge itself gives its parts 30 s.
const stopTimeout = 40 * time.Second

// stop asks the program to end, and ends it when it does not.
func (c *process) stop() error {
	_ = c.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-c.done:
		return nil
	case <-time.After(stopTimeout):
	}
	_ = c.cmd.Process.Kill()
	<-c.done
	return fmt.Errorf("%s did not end within %v of SIGTERM and was killed", c.name, stopTimeout)
}

// outputTail keeps the end of what a program says.
type outputTail struct {
	mu   sync.Mutex
	text []byte
}

var _ io.Writer = (*outputTail)(nil)

func (t *outputTail) Write(p []byte) (int, error) {
	const most = 4096
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	t.text = t.text[max(len(t.text)-most, 0):]
	return len(p), nil
}

func (t *outputTail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(bytes.TrimSpace(t.text))
}

// monitor looks at the day with fairbridge.
type monitor struct {
	*demonstration
	daemon         *daemon
	decisions      *decisionLog
	probes         *probes
	hasShownProbes bool
}

// update looks whether all parts still run, and tells what is new.
func (w *monitor) update(ctx context.Context, p *progress) error {
	if w.daemon.process != nil {
		if err := w.daemon.process.checkRunning(); err != nil {
			return err
		}
	}
	if w.probes != nil {
		if err := w.updateProbes(ctx, p); err != nil {
			return err
		}
	}
	if _, err := w.daemon.countCycles(ctx); err != nil {
		return err
	}
	return w.decisions.announceNewIntents(ctx, p.Queue)
}

// updateProbes makes the GPUs as busy as the jobs are, and says once what is measured.
func (w *monitor) updateProbes(ctx context.Context, p *progress) error {
	if err := w.probes.checkRunning(); err != nil {
		return err
	}
	if err := w.probes.updateStates(p.Queue); err != nil {
		return err
	}
	if !w.hasShownProbes && p.Elapsed > 12*time.Second {
		w.hasShownProbes = true
		words, err := w.probes.describeMeasured(ctx)
		if err != nil {
			words = err.Error()
		}
		w.screen.printf("  %-8s %s", "gpus", words)
	}
	return nil
}
