package demo

import (
	"fmt"
	"os"
	"slices"
	"syscall"
)

// Megabytes that a demonstration writes at most, its Postgres included.
const (
	realMegabytes    = 1000 // two Slurms hold 230, Postgres 45 and a log of changes that may reach 256
	virtualMegabytes = 400
)

// checkFreeSpace checks that the directories of temporary files have room for a
// demonstration; without it a part of it would end in the middle, with a reason of its own.
func checkFreeSpace(usesRealSlurm bool, freeMegabytes func(dir string) (int, error)) error {
	need, hint := virtualMegabytes, ""
	if usesRealSlurm {
		need, hint = realMegabytes, fmt.Sprintf(", or use --slurm=sim, which needs %d MB", virtualMegabytes)
	}
	for _, dir := range slices.Compact([]string{os.TempDir(), "/tmp"}) { // parts that need a short path are in /tmp
		free, err := freeMegabytes(dir)
		if err != nil {
			return fmt.Errorf("looking how much room %s has: %w", dir, err)
		}
		if free < need {
			return fmt.Errorf("the demonstration needs %d MB in %s, where %d MB are free: make room there%s", need, dir, free, hint)
		}
	}
	return nil
}

// measureFreeMegabytes returns what is free on the disk of a directory to those without privileges.
func measureFreeMegabytes(dir string) (int, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return int(uint64(s.Bavail) * uint64(s.Bsize) >> 20), nil
}
