package trace

import (
	"bufio"
	"maps"
	"slices"
	"strings"

	"fairbridge/replica/goodput"
	"fairbridge/replica/workload"
)

// polluxColumns are those of the workloads of Pollux' and Sia's simulators.
var polluxColumns = []string{"name", "time", "application", "num_replicas", "batch_size"}

var polluxTable = tableFormat{',', polluxColumns, nil}

// readPollux reads jobs whose speed and work stand in profiles. Their times stay as they are,
// since the simulators count intervals from the beginning of the file.
func readPollux(in *bufio.Reader, s *jobCollector) error {
	if s.options.ProfilesPath == "" {
		return workload.Problem{File: s.path, Message: "how fast its jobs go stands in profiles: say --profiles with the folder that has one folder for each application"}
	}
	profiles, err := goodput.ReadProfiles(s.options.ProfilesPath)
	if err != nil {
		return err
	}
	table := tableFormat{',', polluxColumns, func(r *tableRecord) (workload.Job, string) {
		return parsePolluxJob(r, profiles), ""
	}}
	err = table.readFile(in, s)
	s.shiftsToFirstArrival = false
	return err
}

func parsePolluxJob(r *tableRecord, profiles map[string]*goodput.Application) workload.Job {
	name := r.textByName("application")
	j := workload.Job{
		Name: r.textByName("name"), Class: name, Arrive: r.numberByName("time"), GPUs: r.countByName("num_replicas"),
		MinGPUs: 1,
	}
	j.MaxGPUs = max(j.GPUs, 1) // the clock says how far it can grow
	a, known := profiles[name]
	if !known && r.err == nil {
		r.err = newUnlocatedProblem("application", "%q has no profile; there are %s", name, strings.Join(slices.Sorted(maps.Keys(profiles)), ", "))
	}
	batch := r.countByName("batch_size")
	switch {
	case r.err != nil:
		return j
	case batch <= 0 || batch > a.MaxBatch:
		r.err = newUnlocatedProblem("batch_size", "%d, want 1 to %d as the profile of %s has it", batch, a.MaxBatch, name)
		return j
	case j.GPUs > 0 && batch < j.GPUs:
		r.err = newUnlocatedProblem("batch_size", "%d samples cannot be divided among %d GPUs", batch, j.GPUs)
		return j
	}
	j.Goodput = &goodput.Job{Application: a, BatchSize: batch}
	j.RestartCostSeconds = a.RestartSeconds
	j.Duration = j.Goodput.NominalSeconds(j.GPUs)
	return j
}
