package writer

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/scontrol"
)

// slurmCommands are scontrol and scancel. They act as the user who runs us, who must
// be an Operator.
type slurmCommands struct {
	scontrol, scancel []string // with whatever must precede them
	timeout           time.Duration
	writeCount        atomic.Int64 // writes so far
}

// requeue runs scontrol requeue Incomplete ADDRESS.
func (p *slurmCommands) requeue(ctx context.Context, address string) error {
	return p.run(ctx, p.scontrol, "requeue", "Incomplete", address)
}

// checkScancel says why jobs cannot be signalled, if they cannot.
func (p *slurmCommands) checkScancel() error {
	if len(p.scancel) == 0 {
		return &slurm.Error{Class: slurm.ErrorBadRequest, Text: "slurm.scancel is not given, and there is no scancel beside slurm.scontrol"}
	}
	return nil
}

// signalBatchScript runs scancel for the batch script of a job.
func (p *slurmCommands) signalBatchScript(ctx context.Context, address string, s slurm.Signal) error {
	return p.run(ctx, p.scancel, "--batch", "--signal="+string(s), address)
}

// run runs a program that changes something.
func (p *slurmCommands) run(ctx context.Context, program []string, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	argv := slices.Concat(program, args)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.WaitDelay = time.Second
	p.writeCount.Add(1)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	text := clipToOneLine(out)
	switch {
	case err == nil:
		return nil
	case cmd.Process == nil:
		return &slurm.Error{Class: slurm.ErrorBadRequest, Err: fmt.Errorf("running %s: %w", argv[0], err)}
	case ctx.Err() != nil || !errors.As(err, &exit):
		return &slurm.Error{Class: slurm.ErrorOutcomeUnknown, Text: text, Err: fmt.Errorf("%s did not end within %v: %w", argv[0], p.timeout, err)}
	}
	class, number := classifyScontrolError(text)
	return &slurm.Error{Class: class, Number: number, Text: strings.Join(append(program[len(program)-1:], args[0]), " ") + ": " + text}
}

// errorClassTable lists Slurm's words for its error numbers, which are all that scontrol
// tells.
var errorClassTable = []struct {
	words  string
	class  slurm.ErrorClass
	number int
}{
	{"Invalid job id", slurm.ErrorJobGone, 2017},
	{"Job is pending execution", slurm.ErrorJobChanged, 2024},
	{"Job/step already completing or completed", slurm.ErrorJobChanged, 2021},
	{"already finished", slurm.ErrorJobChanged, 2084},
	{"Requested operation is presently disabled", slurm.ErrorForbidden, 2037},
	{"Access/permission denied", slurm.ErrorForbidden, 2002},
	{"Unable to contact slurm controller (connect failure)", slurm.ErrorUnreachable, 1800},
}

func classifyScontrolError(text string) (slurm.ErrorClass, int) {
	for _, w := range errorClassTable {
		if strings.Contains(text, w.words) {
			return w.class, w.number
		}
	}
	return slurm.ErrorOutcomeUnknown, 0
}

func clipToOneLine(out []byte) string {
	s := strings.Join(strings.Fields(strings.ToValidUTF8(string(out), " ")), " ")
	if len(s) > 300 {
		s = s[:300] + "…"
	}
	return s
}

// canReadNice reports whether scontrol is there to be run.
func (p *slurmCommands) canReadNice() bool {
	_, err := exec.LookPath(p.scontrol[0])
	return err == nil
}

// readNice asks scontrol for a job's nice.
func (p *slurmCommands) readNice(ctx context.Context, job int64) (int64, error) {
	text, err := p.showJobs(ctx, strconv.FormatInt(job, 10))
	if err != nil {
		return 0, fmt.Errorf("reading the nice of job %d: %w", job, err)
	}
	return parseNice(text, job)
}

// readNices asks scontrol for every job's nice.
func (p *slurmCommands) readNices(ctx context.Context) (map[int64]int64, error) {
	text, err := p.showJobs(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading every job's nice: %w", err)
	}
	return parseNices(text), nil
}

// showJobs returns what scontrol shows of a job, or of all.
func (p *slurmCommands) showJobs(ctx context.Context, job ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	args := slices.Concat(p.scontrol, []string{"show", "job"}, job)
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", strings.Join(args, " "), err)
	}
	return string(out), nil
}

// niceLinePattern is the line of a record that shows the nice.
var niceLinePattern = regexp.MustCompile(`(?m)^   Priority=[0-9]+ Nice=(-?[0-9]+) Account=`)

// parseNice finds the nice in what scontrol shows of a job: of an array, a record
// for each of its parts. Names and comments are their owners': what could be read
// in two ways is not read.
func parseNice(text string, job int64) (int64, error) {
	found := findNices(text)[job]
	if len(found) != 1 {
		return 0, fmt.Errorf("scontrol shows %d times the nice of job %d, want once", len(found), job)
	}
	return strconv.ParseInt(found[0], 10, 64)
}

// parseNices finds the nice of each job in what scontrol shows of all.
func parseNices(text string) map[int64]int64 {
	out := map[int64]int64{}
	for job, found := range findNices(text) {
		if n, err := strconv.ParseInt(found[0], 10, 64); err == nil && len(found) == 1 {
			out[job] = n
		}
	}
	return out
}

// jobIDPattern is how a record begins.
var jobIDPattern = regexp.MustCompile(`^JobId=([0-9]+) `)

// findNices returns every line of a nice in the records, by job.
func findNices(text string) map[int64][]string {
	found := map[int64][]string{}
	for _, record := range strings.Split(text, "\n\n") {
		id := jobIDPattern.FindStringSubmatch(record)
		if id == nil {
			continue
		}
		job, err := strconv.ParseInt(id[1], 10, 64)
		if err != nil {
			continue
		}
		for _, m := range niceLinePattern.FindAllStringSubmatch(record, -1) {
			found[job] = append(found[job], m[1])
		}
	}
	return found
}

// ScancelFromScontrol returns the command line that runs scancel where the given one
// runs scontrol; nil where it does not say scontrol.
func ScancelFromScontrol(command []string) []string {
	return scontrol.CommandBeside(command, "scancel")
}
