package trace

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"fairbridge/bridge/printable"
	"fairbridge/bridge/slurm"
)

// tres is what matters to us of a list like
// "billing=8,cpu=8,gres/gpu:a100=4,gres/gpu=4,mem=64G,node=1".
type tres struct {
	gpus, cpus int
	gpuType    string // "": not said, or several
	memMB      int64
}

// parseTRES reads a list of trackable resources. GPUs are counted once, whether
// they stand there with their type, without, or both.
func parseTRES(s string) (t tres, err error) {
	typed, kinds := 0, 0
	for item := range strings.SplitSeq(s, ",") {
		name, value, _ := strings.Cut(item, "=")
		kind, ofGPU := strings.CutPrefix(name, "gres/gpu:")
		n := 0
		switch {
		case ofGPU, name == "gres/gpu", name == "cpu":
			if n, err = strconv.Atoi(value); err != nil || n < 0 {
				return t, fmt.Errorf("%q is no number of %s", printable.Truncate(value, maxShownChars), name)
			}
		case name == "mem":
			if t.memMB, err = parseMegabytes(value); err != nil {
				return t, err
			}
		}
		switch {
		case ofGPU:
			typed, kinds, t.gpuType = typed+n, kinds+1, kind
		case name == "gres/gpu":
			t.gpus = n
		case name == "cpu":
			t.cpus = n
		}
	}
	if kinds > 1 || t.gpus > typed { // Slurm may track one type of several
		t.gpuType = ""
	}
	t.gpus = max(t.gpus, typed)
	return t, nil
}

// parseMegabytes reads 64G, 4000M, 1.50T or plain megabytes.
func parseMegabytes(s string) (int64, error) {
	unit := 1.0
	if n := len(s); n > 0 {
		switch s[n-1] {
		case 'K':
			unit = 1.0 / 1024
		case 'G':
			unit = 1024
		case 'T':
			unit = 1024 * 1024
		}
	}
	v, err := parseNumber(strings.TrimRight(s, "KMGT"))
	if err != nil || v < 0 || v*unit > 1<<50 {
		return 0, fmt.Errorf("%q is no amount of memory, want like 64G", printable.Truncate(s, maxShownChars))
	}
	return int64(math.Ceil(v * unit)), nil
}

// parseGRES reads the GPUs of a list like "gres/gpu:a100:4", "gpu:4(S:0-1)" or
// "gres:gpu", which squeue prints.
func parseGRES(s string) (gpus int, gpuType string, err error) {
	list := slurm.ReadGRESRequest(s)
	if list.UnreadReason != "" {
		return 0, "", fmt.Errorf("%q is no number of GPUs", printable.Truncate(s, maxShownChars))
	}
	types := map[string]bool{}
	for _, g := range list.List {
		if g.Name == "gpu" {
			gpus, gpuType, types[g.Type] = gpus+g.Count, g.Type, true
		}
	}
	if len(types) > 1 {
		gpuType = ""
	}
	return gpus, gpuType, nil
}
