package ask

import (
	"context"
	"errors"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"fairbridge/api"
	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
	"fairbridge/cmd/internal/source"
)

// runSize is what a run of a job is told of its size.
type runSize struct {
	Job          string `json:"job"`
	GPUs         int    `json:"gpus,omitempty"`         // 0: not known
	Nodes        int    `json:"nodes,omitempty"`        // 0: not known
	Batch        int    `json:"batch,omitempty"`        // recommended, of the whole job; 0: not known
	GPUBatch     int    `json:"gpu_batch,omitempty"`    // of it on a GPU in one go
	Accumulation int    `json:"accumulation,omitempty"` // how often so before the pass that ends a step
	SpeedSource  string `json:"speed_source,omitempty"` // what the recommendation rests on
}

// TellSize prints, in a job, what that job runs on and which batch size is recommended there, as
// shell assignments or JSON. Where the daemon cannot be asked, isOptional has it print what Slurm's
// environment tells.
func TellSize(c *cobra.Command, o *cli.Options, isOptional bool) error {
	return tellSize(c, o, source.Open, os.Getenv, isOptional)
}

func tellSize(c *cobra.Command, o *cli.Options, open opener, getenv func(string) string, isOptional bool) error {
	size, restarts := sizeFromEnvironment(getenv)
	if size.Job == "" {
		return cli.NewUsageError(errors.New("--ask is for use in a Slurm job: SLURM_JOB_ID is not set"))
	}
	var job *api.Job
	err := withSource(c, o, open, func(ctx context.Context, s source.Source) (err error) {
		job, err = s.Job(ctx, size.Job)
		return err
	})
	if err == nil {
		size.add(job.Size, restarts)
	} else if !isOptional {
		return err
	}
	if o.JSON {
		return output.WriteJSON(c.OutOrStdout(), size)
	}
	size.print(c)
	return nil
}

// sizeFromEnvironment reads what slurmd sets when it starts a run. SLURM_GPUS is what was asked at
// submission, and would be wrong of a job whose size was changed since.
func sizeFromEnvironment(getenv func(string) string) (size runSize, restarts int) {
	number := func(name string) int {
		n, err := strconv.Atoi(getenv(name))
		if err != nil || n < 0 {
			return 0
		}
		return n
	}
	size = runSize{Job: getenv("SLURM_JOB_ID"), Nodes: number("SLURM_JOB_NUM_NODES")}
	size.GPUs = number("SLURM_GPUS_ON_NODE") * max(size.Nodes, 1)
	return size, number("SLURM_RESTART_COUNT")
}

// add takes over what the daemon knows, as far as it is about this run on this size: its last cycle
// may be older than the run.
func (s *runSize) add(known *api.JobSize, restarts int) {
	if known == nil {
		return
	}
	if known.Runs && known.Restarts == restarts {
		s.GPUs, s.Nodes = known.GPUs, known.Nodes
	}
	if known.GPUs == s.GPUs {
		s.Batch, s.GPUBatch, s.Accumulation, s.SpeedSource = known.Batch, known.GPUBatch, known.Accumulation, known.SpeedSource
	}
}

// print writes assignments that a shell can evaluate: numbers only. What is not known is empty, so
// that nothing of an earlier run stays set.
func (s *runSize) print(c *cobra.Command) {
	for _, v := range []struct {
		name  string
		value int
		known bool
	}{
		{"GPUS", s.GPUs, s.GPUs > 0}, {"NODES", s.Nodes, s.Nodes > 0}, {"BATCH", s.Batch, s.Batch > 0}, {"GPU_BATCH", s.GPUBatch, s.Batch > 0},
		{"ACCUMULATION", s.Accumulation, s.Batch > 0},
	} {
		text := ""
		if v.known {
			text = strconv.Itoa(v.value)
		}
		printable.Fprintf(c.OutOrStdout(), "FAIRBRIDGE_%s=%s\n", v.name, text)
	}
}
