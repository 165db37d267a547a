package study

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"fairbridge/policy"
	"fairbridge/replica/cluster"
	"fairbridge/replica/workload"
)

// dropUnrunnable refuses jobs that could never run on the cluster, or leaves them out.
func (s *Scenario) dropUnrunnable(path string, skip bool) error {
	room := cluster.CountGPUsByType(s.Nodes)
	var first error
	bad := 0
	fitting := s.Jobs[:0]
	for i := range s.Jobs {
		j := &s.Jobs[i]
		err := s.checkRunnable(j, room)
		if err == nil {
			fitting = append(fitting, *j)
			continue
		}
		if bad++; first == nil {
			first = workload.Problem{File: path, Line: j.Line, Message: err.Error()}
		}
	}
	switch {
	case bad == 0:
		return nil
	case !skip:
		return fmt.Errorf("%w%s", first, othersText(bad-1, hasLine(first)))
	case len(fitting) == 0:
		return fmt.Errorf("no job can run on the cluster, the first: %w", first)
	}
	s.Jobs = fitting
	s.Remarks = append(s.Remarks, fmt.Sprintf("left out, as the cluster cannot run them: %s, the first: %v", policy.FormatCount(bad, "job"), first))
	return nil
}

// othersText says behind a first error how many more there are, and what to do where the
// jobs stand in a file.
func othersText(more int, inFile bool) string {
	switch {
	case more > 0 && inFile:
		return fmt.Sprintf(" (and %d more; --skip-bad leaves them out)", more)
	case more > 0:
		return fmt.Sprintf(" (and %d more)", more)
	case inFile:
		return " (--skip-bad leaves it out)"
	}
	return ""
}

func hasLine(err error) bool {
	var p workload.Problem
	return errors.As(err, &p) && p.Line > 0
}

// checkRunnable says why a job cannot run on any type of GPU of the cluster. Of several
// reasons it is that of the type that comes nearest.
func (s *Scenario) checkRunnable(j *workload.Job, room map[string]int) error {
	if j.Training != nil && s.SpeedTables == nil {
		return fmt.Errorf("job %d trains %s, whose speed throughput tables tell; name them by --tables", j.ID, j.Class)
	}
	var small, slow error
	for _, typ := range slices.Sorted(maps.Keys(room)) {
		switch {
		case j.GPUType != "" && j.GPUType != typ:
			continue
		case room[typ] < minGPUs(j):
			small = errors.Join(small, fmt.Errorf("%d of type %s", room[typ], typ))
			continue
		}
		if slow = s.checkSpeed(j, typ); slow == nil {
			return nil
		}
	}
	switch {
	case slow != nil:
		return slow
	case small != nil:
		return fmt.Errorf("job %d asks for %s, the cluster has %s", j.ID, policy.FormatCount(minGPUs(j), "GPU"), strings.ReplaceAll(small.Error(), "\n", ", "))
	}
	return fmt.Errorf("job %d asks for GPUs of type %s, the cluster has none", j.ID, j.GPUType)
}

// minGPUs is the fewest GPUs a job runs on.
func minGPUs(j *workload.Job) int {
	if j.MinGPUs > 0 {
		return min(j.MinGPUs, j.GPUs)
	}
	return j.GPUs
}

// checkSpeed says why a job has no speed on a type of GPU, at first or at a batch
// size it plans to use later.
func (s *Scenario) checkSpeed(j *workload.Job, typ string) error {
	if j.Training != nil {
		if _, err := s.SpeedTables.SpeedOf(j, typ, j.Training.BatchSize); err != nil {
			return err
		}
		_, err := workload.PlannedRegimes(j, s.SpeedTables, typ)
		return err
	}
	if j.Speeds != nil && !(j.Speeds[typ] > 0) {
		return fmt.Errorf("job %d cannot run on GPUs of type %s", j.ID, typ)
	}
	return nil
}

// hasOneSpeed reports whether every job does its work at one speed wherever it runs: alone
// on its GPUs, on as many as it asks for, and on no type faster than another.
func (s *Scenario) hasOneSpeed() bool {
	mixed := len(cluster.CountGPUsByType(s.Nodes)) > 1
	return !slices.ContainsFunc(s.Jobs, func(j workload.Job) bool {
		return j.IsShareable || j.MaxGPUs > j.GPUs || mixed && (j.Speeds != nil || j.Training != nil)
	})
}
