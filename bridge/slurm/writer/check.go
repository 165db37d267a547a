package writer

import (
	"errors"
	"fmt"
	"regexp"

	"fairbridge/bridge/slurm"
)

// Bounds of what is sent, inside Slurm's own.
const (
	maxJobID        = 0x03ffffff // Slurm's largest
	maxNodesPerEdit = 10_000
)

var (
	nodeNamePattern  = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9_.-]{0,253}[A-Za-z0-9])?$`)
	gpuTypePattern   = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]{0,63}$`)
	sluidPattern     = regexp.MustCompile(`^s[0-9A-Z]{5,30}$`)
	arrayTaskPattern = regexp.MustCompile(`^[1-9][0-9]{0,8}_[0-9]{1,8}$`)
)

// checkEdit turns down an edit that no version can carry out as meant.
func checkEdit(e slurm.Edit) error {
	if e.Run.Job <= 0 || e.Run.Job > maxJobID {
		return fmt.Errorf("%d is not a job id", e.Run.Job)
	}
	if e.Run.SLUID != "" && !sluidPattern.MatchString(e.Run.SLUID) {
		return fmt.Errorf("%.40q is not a SLUID", e.Run.SLUID)
	}
	if e.Array != "" && !arrayTaskPattern.MatchString(e.Array) {
		return fmt.Errorf("%.40q is not the address of an array task", e.Array)
	}
	f, ok := e.Kind.Form()
	switch {
	case !ok:
		return fmt.Errorf("unknown kind of edit %.40q", e.Kind)
	case f.HasText && e.Text != "" && !slurm.IsAdminComment(e.Text):
		return fmt.Errorf("%.130q is not a text of ours", e.Text)
	case f.HasGPUType && e.Text != "" && !gpuTypePattern.MatchString(e.Text):
		return fmt.Errorf("%.70q is not a type of GPU", e.Text)
	case f.HasNodes && f.ValueName != "":
		return errors.Join(checkNodeNames(e.Nodes), checkRange(f.ValueName, e.Value, f.MinValue, f.MaxValue))
	case f.HasNodes:
		return checkNodeNames(e.Nodes)
	case f.HasSignal && !e.Signal.IsKnown(): // Slurm would kill the job
		return fmt.Errorf("%.20q is not a signal to warn by", e.Signal)
	case f.ValueName != "":
		return checkRange(f.ValueName, e.Value, f.MinValue, f.MaxValue)
	}
	return nil
}

func checkRange(what string, v, lo, hi int64) error {
	if v < lo || v > hi {
		return fmt.Errorf("%s %d is outside %d to %d", what, v, lo, hi)
	}
	return nil
}

func checkNodeNames(nodes []string) error {
	if len(nodes) > maxNodesPerEdit {
		return fmt.Errorf("%d nodes are more than %d", len(nodes), maxNodesPerEdit)
	}
	for _, n := range nodes {
		if !nodeNamePattern.MatchString(n) {
			return fmt.Errorf("%.60q is not the name of a node", n)
		}
	}
	return nil
}
