package writer

import (
	"context"
	"fmt"
	"strings"

	"fairbridge/bridge/slurm"
)

// setShards makes the one GPU that a pending job asks for by --gres so many shards of one, if the job is
// bound to the nodes of the edit at that moment: elsewhere it might get neighbours that nobody looked at.
func (d *Writer) setShards(ctx context.Context, e slurm.Edit) error {
	j, err := d.rereadRun(ctx, e.Run)
	if err != nil {
		return err
	}
	_, errs := soleGPUType(j.GresPerNode)
	isOneGPU := errs == nil && slurm.SumGRES(j.GresPerNode.List, "gpu") == 1
	switch {
	case !j.IsPending():
		return newChangedError("job %s is %s: only the GPU of a pending one can become shards", e.Run.TextOf(j.Label()), j.State)
	case len(e.Nodes) == 0 || !j.RequiredNodes.SameAs(e.Nodes):
		return newChangedError("job %s is bound to %q, not to %q: shards are asked for on a named node only", e.Run.TextOf(j.Label()), j.RequiredNodes.Text, e.Nodes)
	case d.client.API().TakesPlainBodies:
		return &slurm.Error{Class: slurm.ErrorBadRequest, Err: fmt.Errorf("%s cannot make the GPU of a waiting job shards: Slurm 24.11 and later can", d.client.API().Name())}
	case j.GresPerJob.Text != "" || j.GresPerTask.Text != "" || !isOneGPU && !asksShardsAlone(&j):
		return &slurm.Error{Class: slurm.ErrorBadRequest, Err: fmt.Errorf("the request %q of job %s is not for one GPU per node alone", j.GresPerNode.Text, j.Label())}
	}
	return d.updateJobField(ctx, e.Run, updateField{"tres_per_node", fmt.Sprintf("gres/shard:%d", e.Value)})
}

// asksShardsAlone reports whether the job asks for shards per node and for nothing else.
func asksShardsAlone(j *slurm.Job) bool {
	list := j.GresPerNode.List
	return j.GresPerJob.Text == "" && len(list) == 1 && list[0].Name == "shard" && !strings.Contains(j.GresPerNode.Text, ",")
}
