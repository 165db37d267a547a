package slurm

import (
	"errors"
	"strconv"
	"strings"
)

// setShareable reads whether a job may share its GPUs, and whether with jobs of other users.
func setShareable(d *Directive, v string) error {
	d.SharesWithAll = v == "others"
	if d.SharesWithAll {
		v = ""
	}
	if err := setFlag(&d.Shareable, v); err != nil {
		return errors.New("shareable is given alone, as yes or no, or as shareable=others")
	}
	return nil
}

// maxGPUMemMB is more memory than any GPU has.
const maxGPUMemMB = 1 << 20

// setGPUMemory reads an amount of memory such as 12G or 800M.
func setGPUMemory(toMB *int64, v string) error {
	bytes, ok := parseQuantity(v, 1<<20) // a number alone is megabytes
	if n := len(v); n > 0 && v[n-1] > '9' {
		bytes, ok = parseQuantity(v, 1)
	}
	mb := bytes >> 20
	if !ok || mb < 1 || mb > maxGPUMemMB {
		return errors.New("the memory of a GPU looks like 12G or 800M")
	}
	*toMB = mb
	return nil
}

// setGPUBusy reads a percentage such as 30%.
func setGPUBusy(to *int, v string) error {
	n, err := strconv.Atoi(strings.TrimSuffix(v, "%"))
	if err != nil || n < 1 || n > 100 {
		return errors.New("the share of time in which a GPU computes looks like 30%")
	}
	*to = n
	return nil
}
