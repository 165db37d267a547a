package probes_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/bridge"
	"fairbridge/bridge/probes"
	"fairbridge/bridge/slurm"
	"fairbridge/nodeprobe"
	"fairbridge/policy"
)

var _ bridge.Probes = (*probes.Probes)(nil)

var now = time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)

// probed answers for the nodes it knows and records what it was asked.
type probed struct {
	samples map[string]nodeprobe.Sample
	asked   map[string]string
}

func (p *probed) PullSamples(_ context.Context, nodes map[string]string) (map[string]nodeprobe.Sample, error) {
	p.asked = nodes
	out := map[string]nodeprobe.Sample{}
	var err error
	for n := range nodes {
		s, ok := p.samples[n]
		if !ok {
			err = errors.Join(err, errors.New("probe of node "+n+": refused"))
			continue
		}
		out[n] = s
	}
	return out, err
}

func gpu(model string, busy float64) nodeprobe.GPU {
	return nodeprobe.GPU{Model: model, Busy: nodeprobe.KnownValue(busy)}
}

func unmeasured(model string) nodeprobe.GPU { return nodeprobe.GPU{Model: model} }

func sick(model string) nodeprobe.GPU {
	return nodeprobe.GPU{Model: model, SickReason: "Xid 79: fallen off the bus", Busy: nodeprobe.KnownValue(0)}
}

func sliced(model string, profiles ...string) nodeprobe.GPU {
	g := nodeprobe.GPU{Model: model, IsMIG: true}
	for _, p := range profiles {
		g.Slices = append(g.Slices, nodeprobe.MIGSlice{Profile: p})
	}
	return g
}

func sample(gpus ...nodeprobe.GPU) nodeprobe.Sample {
	return nodeprobe.Sample{At: now.Add(-5 * time.Second), AgeSeconds: 5, GPUs: gpus}
}

const a100, h100 = "NVIDIA A100-SXM4-80GB", "NVIDIA H100 80GB HBM3"

func TestDevices(t *testing.T) {
	for name, c := range map[string]struct {
		gres string
		gpus []nodeprobe.GPU
		want []policy.NodeDevices
	}{
		"mean":            {"gpu:a100:2", []nodeprobe.GPU{gpu(a100, 1), gpu(a100, 0.5)}, []policy.NodeDevices{{Type: "a100", Count: 2, Utilisation: policy.KnownValue(0.75)}}},
		"idle is known":   {"gpu:a100:1", []nodeprobe.GPU{gpu(a100, 0)}, []policy.NodeDevices{{Type: "a100", Count: 1, Utilisation: policy.KnownValue(0)}}},
		"one unknown":     {"gpu:a100:2", []nodeprobe.GPU{gpu(a100, 1), unmeasured(a100)}, []policy.NodeDevices{{Type: "a100", Count: 2}}},
		"sick":            {"gpu:a100:2", []nodeprobe.GPU{gpu(a100, 1), sick(a100)}, []policy.NodeDevices{{Type: "a100", Count: 2, SickCount: 1, Utilisation: policy.KnownValue(1)}}},
		"all sick":        {"gpu:a100:1", []nodeprobe.GPU{sick(a100)}, []policy.NodeDevices{{Type: "a100", Count: 1, SickCount: 1}}},
		"missing":         {"gpu:a100:4(S:0-1)", []nodeprobe.GPU{gpu(a100, 1)}, []policy.NodeDevices{{Type: "a100", Count: 4, SickCount: 3, Utilisation: policy.KnownValue(1)}}},
		"none shown":      {"gpu:a100:4", nil, []policy.NodeDevices{{Type: "a100", Count: 4, SickCount: 4}}},
		"more than told":  {"gpu:a100:1", []nodeprobe.GPU{gpu(a100, 1), gpu(a100, 0)}, []policy.NodeDevices{{Type: "a100", Count: 2, Utilisation: policy.KnownValue(0.5)}}},
		"no type":         {"gpu:2", []nodeprobe.GPU{gpu(a100, 1), gpu(h100, 0)}, []policy.NodeDevices{{Type: slurm.UntypedGPU, Count: 2, Utilisation: policy.KnownValue(0.5)}}},
		"the site's name": {"gpu:big:1", []nodeprobe.GPU{gpu(a100, 1)}, []policy.NodeDevices{{Type: "big", Count: 1, Utilisation: policy.KnownValue(1)}}},
		"two types": {"gpu:a100:1,gpu:H100:1", []nodeprobe.GPU{gpu(h100, 1), gpu(a100, 0)},
			[]policy.NodeDevices{{Type: "H100", Count: 1, Utilisation: policy.KnownValue(1)}, {Type: "a100", Count: 1, Utilisation: policy.KnownValue(0)}}},
		"the longest name": {"gpu:a100:1,gpu:nvidia_a100-sxm4-80gb:1", []nodeprobe.GPU{gpu("NVIDIA A100-PCIE-40GB", 0.25), gpu(a100, 0.75)},
			[]policy.NodeDevices{{Type: "a100", Count: 1, Utilisation: policy.KnownValue(0.25)}, {Type: "nvidia_a100-sxm4-80gb", Count: 1, Utilisation: policy.KnownValue(0.75)}}},
		"a stranger": {"gpu:a100:1,gpu:h100:1", []nodeprobe.GPU{gpu(a100, 0), gpu(h100, 0), gpu("Tesla T4", 1)},
			[]policy.NodeDevices{{Type: "Tesla T4", Count: 1, Utilisation: policy.KnownValue(1)}, {Type: "a100", Count: 1, Utilisation: policy.KnownValue(0)}, {Type: "h100", Count: 1, Utilisation: policy.KnownValue(0)}}},
		"slices": {"gpu:a100:1,gpu:1g.10gb:2,gpu:a100_2g.20gb:1", []nodeprobe.GPU{gpu(a100, 1), sliced(a100, "1g.10gb", "1g.10gb", "2g.20gb")},
			[]policy.NodeDevices{{Type: "1g.10gb", Count: 2}, {Type: "a100", Count: 1, Utilisation: policy.KnownValue(1)}, {Type: "a100_2g.20gb", Count: 1}}},
		"no share": {"gpu:a100:1", []nodeprobe.GPU{gpu(a100, 93)}, []policy.NodeDevices{{Type: "a100", Count: 1}}},
		"shards":   {"gpu:a100:1,shard:a100:8", []nodeprobe.GPU{gpu(a100, 1)}, []policy.NodeDevices{{Type: "a100", Count: 1, Utilisation: policy.KnownValue(1)}}},
	} {
		t.Run(name, func(t *testing.T) {
			src := &probed{samples: map[string]nodeprobe.Sample{"n1": sample(c.gpus...)}}
			got, err := ask(src, slurm.Node{Name: "n1", State: "IDLE", Gres: slurm.ReadGRES(c.gres)})
			if d := cmp.Diff(map[string][]policy.NodeDevices{"n1": c.want}, got); d != "" || err != nil {
				t.Error(d, err)
			}
		})
	}
}

func ask(src *probed, nodes ...slurm.Node) (map[string][]policy.NodeDevices, error) {
	p := probes.New(src, "http://{node}.example:9810", time.Minute, func() time.Time { return now })
	return p.Sample(context.Background(), &slurm.View{Nodes: nodes})
}

func TestOnlyGPUNodesThatAreUpAreAsked(t *testing.T) {
	src := &probed{samples: map[string]nodeprobe.Sample{}}
	_, err := ask(src,
		slurm.Node{Name: "up", State: "MIXED", Gres: slurm.ReadGRES("gpu:a100:1")},
		slurm.Node{Name: "drained", State: "ALLOCATED", Flags: []string{"DRAIN"}, Gres: slurm.ReadGRES("gpu:1")},
		slurm.Node{Name: "cpus", State: "IDLE", Gres: slurm.ReadGRES("(null)")},
		slurm.Node{Name: "shards", State: "IDLE", Gres: slurm.ReadGRES("shard:4")},
		slurm.Node{Name: "garbled", State: "IDLE", Gres: slurm.ReadGRES("gpu:::(")},
		slurm.Node{Name: "down", State: "DOWN", Gres: slurm.ReadGRES("gpu:1")},
		slurm.Node{Name: "silent", State: "IDLE", Flags: []string{"NOT_RESPONDING"}, Gres: slurm.ReadGRES("gpu:1")},
		slurm.Node{Name: "asleep", State: "IDLE", Flags: []string{"POWERED_DOWN"}, Gres: slurm.ReadGRES("gpu:1")},
	)
	want := map[string]string{"up": "http://up.example:9810", "drained": "http://drained.example:9810"}
	if d := cmp.Diff(want, src.asked); d != "" {
		t.Error(d)
	}
	if err == nil || strings.Count(err.Error(), "refused") != 2 {
		t.Errorf("error: %v", err)
	}
}

func TestOldSamplesAreUnknown(t *testing.T) {
	with := func(change func(*nodeprobe.Sample)) nodeprobe.Sample {
		s := sample(gpu(a100, 0))
		change(&s)
		return s
	}
	src := &probed{samples: map[string]nodeprobe.Sample{
		"fresh":    sample(gpu(a100, 0)),
		"stale":    with(func(s *nodeprobe.Sample) { s.IsStale, s.Error = true, "one failed look" }), // young enough
		"old":      with(func(s *nodeprobe.Sample) { s.AgeSeconds, s.At, s.Error = 61, now.Add(-61*time.Second), "it hangs" }),
		"replayed": with(func(s *nodeprobe.Sample) { s.At = now.Add(-time.Hour) }),
		"ahead":    with(func(s *nodeprobe.Sample) { s.At = now.Add(time.Hour) }),
		"negative": with(func(s *nodeprobe.Sample) { s.AgeSeconds = -1 }),
		"never":    {Error: "no NVIDIA driver"},
	}}
	var nodes []slurm.Node
	for n := range src.samples {
		nodes = append(nodes, slurm.Node{Name: n, State: "IDLE", Gres: slurm.ReadGRES("gpu:a100:1")})
	}
	got, err := ask(src, nodes...)
	idle := []policy.NodeDevices{{Type: "a100", Count: 1, Utilisation: policy.KnownValue(0)}}
	if d := cmp.Diff(map[string][]policy.NodeDevices{"fresh": idle, "stale": idle}, got); d != "" {
		t.Error(d)
	}
	want := `probe of node ahead: its sample is of 2026-05-04T04:02:01Z, -1h0m0s from our clock: set the clocks by NTP
probe of node negative: its last sample is -1s old: it does not say why
probe of node never: it has measured nothing: no NVIDIA driver
probe of node old: its last sample is 1m1s old: it hangs
probe of node replayed: its sample is of 2026-05-04T02:02:01Z, 1h0m0s from our clock: set the clocks by NTP`
	if d := cmp.Diff(want, err.Error()); d != "" {
		t.Error(d)
	}
}
