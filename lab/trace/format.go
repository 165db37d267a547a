package trace

import (
	"bufio"
	"errors"
	"fmt"
	"slices"
	"strings"

	"fairbridge/bridge/printable"
)

// Format is one way to write a trace.
type Format struct {
	Name        string
	Description string                 // it is, in words
	matchesHead func(head string) bool // whether a file beginning so is of it
	readJobs    func(*bufio.Reader, *jobCollector) error
}

// formats are all, the ones that are most surely told from others first.
var formats = []Format{
	{"fairbridge", "our own, as trace convert and trace generate write it", isFairbridgeFormat, readFairbridgeFormat},
	{"shockwave", "Shockwave's and Gavel's: 12, 10 or 7 columns between tabs", isTrainingTrace, readTraining},
	{"philly", "Microsoft's Philly, as a table of timestamp, duration, num_gpus, gpu_time and cluster", phillyTable.matchesHead, phillyTable.readFile},
	{"philly-log", "Microsoft's Philly, as the original cluster_job_log with all attempts", isPhillyLog, readPhillyLog},
	{"helios", "SenseTime's Helios clusters: cluster_log.csv", heliosTable.matchesHead, heliosTable.readFile},
	{"itp", "ten Microsoft clusters of 2021, published with ElasticFlow", itpTable.matchesHead, itpTable.readFile},
	{"elasticflow", "ElasticFlow's simulator: jobs with deadlines and steps of training", elasticFlowTable.matchesHead, elasticFlowTable.readFile},
	{"muri", "the simulator of Muri: jobs with the stages of a step, in milliseconds", muriTable.matchesHead, muriTable.readFile},
	{"tiresias", "the simulator of Tiresias and those made after it", tiresiasTable.matchesHead, tiresiasTable.readFile},
	{"pcs", "the simulator of PCS: app, arrival_s, gpus_max, service_gpu_s and speedup", pcsTable.matchesHead, pcsTable.readFile},
	{"pollux", "the simulators of Pollux and Sia; needs --profiles", polluxTable.matchesHead, readPollux},
	{"openb", "Alibaba's GPU trace of 2023: the list of pods", openbTable.matchesHead, openbTable.readFile},
	{"pai", "Alibaba's PAI trace of 2020: pai_task_table.csv, with pai_job_table.csv beside it", isPAI, readPAI},
	{"sacct", "Slurm's accounting: sacct -P, any columns", sacctTable.matchesHead, readSacctTable},
	{"squeue", "Slurm's queue: squeue with columns between bars", squeueTable.matchesHead, readSqueue},
	{"squeue-json", "Slurm's queue: squeue --json", isQueueJSON, readQueueJSON},
	{"swf", "the Standard Workload Format of the Parallel Workloads Archive", isSWF, readSWF},
}

// Formats lists what can be read.
func Formats() []Format { return slices.Clone(formats) }

// FormatNames are the names of the formats a trace may have.
func FormatNames() []string {
	var all []string
	for _, f := range formats {
		all = append(all, f.Name)
	}
	return all
}

// findFormat returns the format of that name, or the one the head looks like.
func findFormat(name string, head []byte) (*Format, error) {
	auto := name == "" || name == "auto"
	for i, f := range formats {
		if f.Name == name || auto && f.matchesHead(string(head)) {
			return &formats[i], nil
		}
	}
	known := strings.Join(FormatNames(), ", ")
	if !auto {
		return nil, fmt.Errorf("no format %q; there are %s", name, known)
	}
	if isSacctJSON(string(head)) {
		return nil, errors.New("this is sacct --json, which is not read; print it with sacct -P (docs/simulation.md)")
	}
	first, _, _ := strings.Cut(string(head), "\n")
	return nil, fmt.Errorf("its format is not clear from a first line %q; say --format with one of %s", printable.Truncate(first, maxShownChars), known)
}
