package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

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
	isOptional                     bool
}

func newProgressCommand() *cobra.Command {
	f := &progressFlags{}
	c := &cobra.Command{
		Use:   "progress",
		Short: "Report a training job's progress (run it in the job)",
		Long: `progress tells the node probe of this GPU node how far the job is that runs it,
and the probe tells the scheduler: remaining time is then known and not guessed.
The kernel says whose report it is; no job can report for another. Report
once in some minutes, from one process of the job; the newest report counts.

Exit status: 0 reported, 1 not reported (the reason is printed), 2 wrong usage.`,
		Example: `  fairbridge progress --epoch 3/90 --loss 0.4
  fairbridge progress --step 1200/50000 --rate 3.5 --batch 256
  fairbridge progress --optional --epoch 3/90     exit 0 where no probe listens`,
		Args: cli.CheckArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return f.sendProgress(c) },
	}
	s := c.Flags()
	s.StringVar(&f.epoch, "epoch", "", "epochs done, or done/all")
	s.StringVar(&f.step, "step", "", "steps done, or done/all, at the present batch size")
	s.StringVar(&f.loss, "loss", "", "the loss")
	s.StringVar(&f.rate, "rate", "", "steps per second, of the whole job")
	s.StringVar(&f.batch, "batch", "", "batch size, of the whole job")
	s.StringVar(&f.socketPath, "socket", cmp.Or(os.Getenv(progressSocketEnv), progress.DefaultSocket), "the probe's socket (environment: "+progressSocketEnv+")")
	s.BoolVar(&f.isOptional, "optional", false, "no probe here is no error")
	return c
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
	var errs [5]error
	p.Epoch, p.TotalEpochs, errs[0] = parseShare("epoch", f.epoch)
	p.Step, p.TotalSteps, errs[1] = parseShare("step", f.step)
	p.Loss, errs[2] = parseMeasure("loss", f.loss)
	p.StepsPerSecond, errs[3] = parseMeasure("rate", f.rate)
	p.BatchSize, errs[4] = parseMeasure("batch", f.batch)
	return p, errors.Join(errs[:]...)
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
