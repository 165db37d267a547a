package trial

import (
	"errors"
	"fmt"

	"fairbridge/bridge/study/trace"
	"fairbridge/bridge/study/workload"
)

// fit refuses jobs that could never run on the cluster, or leaves them out.
func (w *Workload) fit(path string, skip bool) error {
	room := w.room()
	var first error
	bad := 0
	fitting := w.Jobs[:0]
	for i := range w.Jobs {
		j := &w.Jobs[i]
		err := w.runs(j, room)
		if err == nil {
			fitting = append(fitting, *j)
			continue
		}
		if bad++; first == nil {
			first = trace.Problem{File: path, Line: j.Line, What: err.Error()}
		}
	}
	switch {
	case bad == 0:
		return nil
	case !skip && bad > 1:
		return fmt.Errorf("%w (and %d more; --skip-bad leaves them out)", first, bad-1)
	case !skip:
		return fmt.Errorf("%w (--skip-bad leaves it out)", first)
	case len(fitting) == 0:
		return fmt.Errorf("no job can run on the cluster, the first: %w", first)
	}
	w.Jobs = fitting
	w.Remarks = append(w.Remarks, fmt.Sprintf("%d jobs that cannot run on the cluster are left out, the first: %v", bad, first))
	return nil
}

// room counts the GPUs by type.
func (w *Workload) room() map[string]int {
	room := map[string]int{}
	for i := range w.Nodes {
		for _, d := range w.Nodes[i].GPUs {
			room[d.Type] += d.Count
		}
	}
	return room
}

// runs says why a job cannot run on any type of GPU of the cluster. Of several
// reasons it is that of the type that comes nearest.
func (w *Workload) runs(j *workload.Job, room map[string]int) error {
	if j.Training != nil && w.Tables == nil {
		return fmt.Errorf("job %d trains %s, whose speed throughput tables tell; name them by --tables", j.ID, j.Class)
	}
	var small, slow error
	for _, typ := range sortedKeys(room) {
		switch {
		case j.GPUType != "" && j.GPUType != typ:
			continue
		case room[typ] < least(j):
			small = errors.Join(small, fmt.Errorf("%d of type %s", room[typ], typ))
			continue
		}
		if slow = w.speed(j, typ); slow == nil {
			return nil
		}
	}
	switch {
	case slow != nil:
		return slow
	case small != nil:
		return fmt.Errorf("job %d asks for %d GPUs, the cluster has %s", j.ID, least(j), and(small))
	}
	return fmt.Errorf("job %d asks for GPUs of type %s, the cluster has none", j.ID, j.GPUType)
}

// least is the fewest GPUs a job runs on.
func least(j *workload.Job) int {
	if j.MinGPUs > 0 {
		return min(j.MinGPUs, j.GPUs)
	}
	return j.GPUs
}

// speed says why a job has no speed on a type of GPU, at first or at a batch
// size it plans to use later.
func (w *Workload) speed(j *workload.Job, typ string) error {
	if j.Training != nil {
		if _, err := w.Tables.Speed(j, typ, j.Training.Batch); err != nil {
			return err
		}
		_, err := workload.Plan(j, w.Tables, typ)
		return err
	}
	if j.Speeds != nil && !(j.Speeds[typ] > 0) {
		return fmt.Errorf("job %d cannot run on GPUs of type %s", j.ID, typ)
	}
	return nil
}
