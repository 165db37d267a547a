package chaos

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/probes"
	"fairbridge/bridge/slurm"
	"fairbridge/gear/chaos/site"
	"fairbridge/nodeprobe"
	"fairbridge/policy"
)

// newProbes returns the probes of the site, as a new process knows them.
func (p *daemonProcess) newProbes() bridge.Probes {
	switch {
	case p.Site.StopIdleAfter > 0:
		return probes.New(nodeSamples{p.trial}, "{node}", maxSampleAge, p.now)
	case p.Site.SharesGPUs:
		return memoryProbes{}
	}
	return bridge.NoProbes{}
}

// memoryProbes are node probes that tell how much memory GPUs have, and nothing else.
type memoryProbes struct{}

// Sample implements bridge.Probes.
func (memoryProbes) Sample(_ context.Context, v *slurm.View) (map[string][]policy.NodeDevices, error) {
	out := map[string][]policy.NodeDevices{}
	for i := range v.Nodes {
		for _, g := range v.Nodes[i].GPUs() {
			out[v.Nodes[i].Name] = append(out[v.Nodes[i].Name], policy.NodeDevices{Type: g.Type, Count: g.Count, MemMB: site.GPUMemMB})
		}
	}
	return out, nil
}

// maxSampleAge is how old a sample may be.
const maxSampleAge = time.Minute

// nodeSamples are what the probes of the nodes answer: what jobs do on their GPUs. One that measures nothing answers what it
// measured last.
type nodeSamples struct{ *trial }

// PullSamples implements probes.Puller.
func (t nodeSamples) PullSamples(_ context.Context, nodes map[string]string) (map[string]nodeprobe.Sample, error) {
	jobs, out := t.world.Jobs(), map[string]nodeprobe.Sample{}
	for name := range nodes {
		number, err := strconv.Atoi(strings.TrimPrefix(name, "n"))
		if err != nil {
			return nil, fmt.Errorf("node %s has no number: %w", name, err)
		}
		now := t.world.Now()
		at := t.Site.SilentSince(number, now)
		s := nodeprobe.Sample{Node: name, At: at, AgeSeconds: now.Sub(at).Seconds()}
		if t.Overrides.BelievesOldSamples {
			s.At, s.AgeSeconds = now, 0
		}
		for i := range t.Site.GPUsPerNode {
			g := nodeprobe.GPU{Index: i, MinorNumber: i, UUID: fmt.Sprintf("GPU-%s-%d", name, i), Model: site.FirstType, Busy: nodeprobe.KnownValue(0), ProcessesKnown: true}
			if id := jobOnGPU(jobs, name, i); id != 0 && t.Site.Works(id, at) {
				g.Busy = nodeprobe.KnownValue(.5)
			}
			s.GPUs = append(s.GPUs, g)
		}
		out[name] = s
	}
	return out, nil
}

// jobOnGPU returns the running job that holds a GPU of a node, 0: none does.
func jobOnGPU(jobs []slurm.Job, node string, gpu int) int64 {
	for i := range jobs {
		j := &jobs[i]
		at := slices.Index(j.Nodes.Names, node)
		if !j.IsRunning() || at < 0 || at >= len(j.GresDetail) {
			continue
		}
		for _, g := range j.GresDetail[at].List {
			if slices.Contains(g.DeviceIndexes, gpu) {
				return j.ID
			}
		}
	}
	return 0
}
