package doctor

import (
	"context"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// checkProbes asks the probe of every GPU node.
func (r *Report) checkProbes(ctx context.Context, url string, v *slurm.View, p bridge.Probes) {
	if url == "" {
		r.addFinding("probes", LevelSkip, "run nodeprobe on the GPU nodes and set probes.url", "no probes configured: policies do without measurements")
		return
	}
	got, err := p.Sample(ctx, v)
	if err != nil {
		r.addFinding("probes", LevelWarn, "systemctl status nodeprobe on these nodes", "%v", err)
	}
	if len(got) > 0 || err == nil {
		r.addOK("probes", "answers of %s", policy.FormatCount(len(got), "node"))
	}
}
