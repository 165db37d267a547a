package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"fairbridge/cmd/fairbridge/ask"
	"fairbridge/cmd/internal/cli"
	"fairbridge/nodeprobe"
	"fairbridge/nodeprobe/progress"
)

// progressSocketEnv names the probe's socket where it is not at its default place.
const progressSocketEnv = "FAIRBRIDGE_PROGRESS"

// progressFlags are the flags of progress.
type progressFlags struct {
	socketPath                     string
	epoch, step, loss, rate, batch string
	requests                       string
	batchRange, gpuBatch, gradient string
	isOptional, asks               bool
}

func newProgressCommand(o *cli.Options) *cobra.Command {
	f := &progressFlags{}
	c := &cobra.Command{
		Use:   "progress",
		Short: "Report a training job's progress (run it in the job)",
		Long: `progress tells the node probe of this GPU node how far the job is that runs it,
and the probe tells the scheduler: remaining time is then known and not guessed.
The kernel says whose report it is; no job can report for another. Report
once in some minutes, from one process of the job; the newest report counts.

--ask reports nothing: it prints how many GPUs and nodes this run has, and the batch
size that is recommended there to a job that reported batch sizes and speeds, as
assignments for the shell (FAIRBRIDGE_GPUS, _NODES, _BATCH, _GPU_BATCH and
_ACCUMULATION, how often a GPU takes GPU_BATCH before the pass that ends a step; what
is not known is empty) or as JSON. The daemon is asked; with --optional, where it
cannot be, it prints what Slurm's environment tells.

Exit status: 0 reported, 1 not reported (the reason is printed), 2 wrong usage.`,
		Example: `  fairbridge progress --epoch 3/90 --loss 0.4
  fairbridge progress --step 1200/50000 --rate 3.5 --batch 256 --loss 0.4
  fairbridge progress --rate 3.5 --batch 256 --batch-range 128-4096 --gradient 0.2/31.5
  fairbridge progress --requests 48210            a replica of a service, each half minute
  fairbridge progress --optional --epoch 3/90     exit 0 where no probe listens
  eval "$(fairbridge progress --ask --optional)"  what does this run have?`,
		Args: cli.CheckArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c, o) },
	}
	f.addTo(c)
	return o.AddURLFlag(o.AddJSONFlag(c))
}

// addTo adds the flags to the command.
func (f *progressFlags) addTo(c *cobra.Command) {
	s := c.Flags()
	s.StringVar(&f.epoch, "epoch", "", "epochs done, or done/all")
	s.StringVar(&f.step, "step", "", "steps done, or done/all, at the present batch size")
	s.StringVar(&f.loss, "loss", "", "the training loss, with --step: policies that go by how it falls know it then")
	s.StringVar(&f.rate, "rate", "", "steps per second, of the whole job")
	s.StringVar(&f.batch, "batch", "", "batch size, of the whole job")
	s.StringVar(&f.requests, "requests", "", "requests that this replica of an inference service answered since it began")
	s.StringVar(&f.batchRange, "batch-range", "", "batch sizes of the whole job it may use: as you chose it, and at most, as in 128-4096")
	s.StringVar(&f.gpuBatch, "gpu-batch", "", "batch sizes one GPU may take in one go, as in 16-256")
	s.StringVar(&f.gradient, "gradient", "", "squared norm and variance of the gradient at the batch size you chose, as in 0.2/31.5")
	s.StringVar(&f.socketPath, "socket", cmp.Or(os.Getenv(progressSocketEnv), progress.DefaultSocket), "the probe's socket (environment: "+progressSocketEnv+")")
	s.BoolVar(&f.isOptional, "optional", false, "no probe here, or no daemon, is no error")
	s.BoolVar(&f.asks, "ask", false, "print what this run of the job has, and the batch size recommended there")
}

// run asks or reports.
func (f *progressFlags) run(c *cobra.Command, o *cli.Options) error {
	reports := f.epoch + f.step + f.loss + f.rate + f.batch + f.batchRange + f.gpuBatch + f.gradient + f.requests
	switch {
	case f.asks && reports != "":
		return cli.NewUsageError(errors.New("--ask reports nothing: report by a call of its own"))
	case f.asks:
		return ask.TellSize(c, o, f.isOptional)
	case o.JSON || o.URL != "":
		return cli.NewUsageError(errors.New("--json and --url go with --ask: a report goes to this node's probe, and prints nothing"))
	}
	return f.sendProgress(c)
}

func (f *progressFlags) sendProgress(c *cobra.Command) error {
	p, err := f.parseProgress()
	if err != nil {
		return cli.NewUsageError(err)
	}
	if err := p.Check(); err != nil {
		return cli.NewUsageError(err)
	}
	_, err = progress.SendProgress(c.Context(), f.socketPath, p)
	if f.isOptional && errors.Is(err, progress.ErrNoProbe) {
		return nil
	}
	return err
}

func (f *progressFlags) parseProgress() (p nodeprobe.Progress, err error) {
	var errs [9]error
	p.Epoch, p.TotalEpochs, errs[0] = parseShare("epoch", f.epoch)
	p.Step, p.TotalSteps, errs[1] = parseShare("step", f.step)
	p.Loss, errs[2] = parseMeasure("loss", f.loss)
	p.StepsPerSecond, errs[3] = parseMeasure("rate", f.rate)
	p.BatchSize, errs[4] = parseMeasure("batch", f.batch)
	p.InitialBatch, p.MaxBatch, errs[5] = parsePair("batch-range", f.batchRange, "-", "128-4096")
	p.LeastBatchOnGPU, p.MostBatchOnGPU, errs[6] = parsePair("gpu-batch", f.gpuBatch, "-", "16-256")
	p.GradSqr, p.GradVar, errs[7] = parsePair("gradient", f.gradient, "/", "0.2/31.5")
	p.Requests, errs[8] = parseMeasure("requests", f.requests)
	return p, errors.Join(errs[:]...)
}

// parsePair reads two numbers, such as 128-4096.
func parsePair(name, text, between, example string) (first, second nodeprobe.OptionalValue, err error) {
	if text == "" {
		return first, second, nil
	}
	a, b, two := strings.Cut(text, between)
	if first, err = parseMeasure(name, a); err == nil {
		second, err = parseMeasure(name, b)
	}
	if err == nil && !(two && first.Known && second.Known) {
		err = fmt.Errorf("--%s %q: give two numbers such as %s", name, text, example)
	}
	return first, second, err
}

// parseShare reads "3" or "3/90".
func parseShare(name, text string) (done, all nodeprobe.OptionalValue, err error) {
	first, second, two := strings.Cut(text, "/")
	if done, err = parseMeasure(name, first); err == nil && two {
		all, err = parseMeasure(name, second)
	}
	if err == nil && two && !(done.Known && all.Known) {
		err = fmt.Errorf("--%s %q: give done, or done/all such as 3/90", name, text)
	}
	return done, all, err
}

func parseMeasure(name, text string) (nodeprobe.OptionalValue, error) {
	if text == "" {
		return nodeprobe.OptionalValue{}, nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nodeprobe.OptionalValue{}, fmt.Errorf("--%s %q is not a number", name, text)
	}
	return nodeprobe.KnownValue(v), nil
}
