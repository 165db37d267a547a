package demo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

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
