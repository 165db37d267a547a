package door

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ReadsNice reports whether scontrol, which reads a job's nice where REST does
// not show it, is there to be run.
func (d *Door) ReadsNice() bool {
	_, err := exec.LookPath(d.cfg.Scontrol[0])
	return err == nil
}

// Nice asks scontrol for a job's nice. Slurm 22.05 shows a nice by REST only
// above 0, and one that is not known must not be written over.
func (d *Door) Nice(ctx context.Context, job int64) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, d.cfg.ScontrolTimeout)
	defer cancel()
	args := append(slices.Clone(d.cfg.Scontrol), "show", "job", strconv.FormatInt(job, 10))
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("reading the nice of job %d by %s: %w", job, strings.Join(args, " "), err)
	}
	return parseNice(string(out), job)
}

// niceLine is the line of a record that shows the nice.
var niceLine = regexp.MustCompile(`(?m)^   Priority=[0-9]+ Nice=(-?[0-9]+) Account=`)

// parseNice finds the nice in what scontrol shows of a job: of an array, a record
// for each of its parts. Names and comments are their owners': what could be read
// in two ways is not read.
func parseNice(text string, job int64) (int64, error) {
	var found []string
	for _, record := range strings.Split(text, "\n\n") {
		if strings.HasPrefix(record, fmt.Sprintf("JobId=%d ", job)) {
			for _, m := range niceLine.FindAllStringSubmatch(record, -1) {
				found = append(found, m[1])
			}
		}
	}
	if len(found) != 1 {
		return 0, fmt.Errorf("scontrol shows %d times the nice of job %d, want once", len(found), job)
	}
	return strconv.ParseInt(found[0], 10, 64)
}
