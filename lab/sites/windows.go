// Package sites tries policies on windows of the logs of real sites, beside Slurm alone.
package sites

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"fairbridge/lab/experiment"
	"fairbridge/lab/trace"
	"fairbridge/policy"
	"fairbridge/replica/cluster"
	"fairbridge/replica/study"
	"fairbridge/replica/workload"
)

// The rule by which a log is read and its windows are chosen. No policy is run and no wait is looked at.
const (
	MaxGPUs     = 256 // a machine of more processors is this many GPUs, of several processors each
	GPUsPerNode = 8
	WindowJobs  = 500 // jobs of a window, submitted one after the other
	WindowCount = 5   // windows of a site
	LeastLoad   = .8  // GPU time asked for in a window over the GPU time there is: jobs wait
	MostLoad    = 1.3 // above, the queue grows as long as the window lasts
	ScaledLoad  = 1.0 // to which arrivals are scaled at a site that has too few such windows
)

// Site is a machine and its log.
type Site struct {
	Name       string
	File       string // the log, in a folder that the reader knows; formats as trace.Formats
	Processors int    // of the machine
}

// Window is a part of a site's log.
type Window struct {
	Site
	FirstJob int     // its place among the jobs that ran and fit the machine, from 0
	JobCount int     // jobs one after the other
	Load     float64 // as the log has it
	IsScaled bool    // the times between arrivals are multiplied so that the load is ScaledLoad
}

// Load reads the log of a site: a job asks for GPUs by its processors, rounded up, and belongs to its group, or to an
// account of its user's where the log tells no groups apart.
func (s *Site) Load(folder string) (*study.Scenario, error) {
	gpus := min(s.Processors, MaxGPUs)
	nodes, err := cluster.ParseSpec(fmt.Sprintf("%dx%d", (gpus+GPUsPerNode-1)/GPUsPerNode, GPUsPerNode))
	if err != nil {
		return nil, err
	}
	all, err := experiment.LoadScenario(experiment.ScenarioSource{
		TracePath: filepath.Join(folder, s.File), Nodes: nodes,
		TraceOptions: trace.ReadOptions{SkipBad: true, GPUsPerProc: float64(gpus) / float64(s.Processors)},
	})
	if err != nil {
		return nil, err
	}
	all.Accounts = nil
	isOther := func(j workload.Job) bool { return j.Account != all.Jobs[0].Account }
	namesNoGroups := !slices.ContainsFunc(all.Jobs, isOther)
	for i := range all.Jobs {
		j := &all.Jobs[i]
		if j.CPUs = j.GPUs; namesNoGroups { // its processors are those GPUs
			j.Account = j.User
		}
	}
	given := *all
	given.Name = s.Name
	return study.NewScenario(given, true)
}

// ChooseWindows returns WindowCount windows of the log, evenly spread over those whose load is from LeastLoad to
// MostLoad; at a site with fewer of them, over all windows, scaled. The log's first window is none: it has no history.
func (s *Site) ChooseWindows(log *study.Scenario) []Window {
	var all, loaded []Window
	for first := WindowJobs; first+WindowJobs <= len(log.Jobs); first += WindowJobs {
		w := Window{Site: *s, FirstJob: first, JobCount: WindowJobs}
		w.Load = math.Round(1000*log.OfferedLoad(first, first+WindowJobs)) / 1000
		if all = append(all, w); w.Load >= LeastLoad && w.Load <= MostLoad {
			loaded = append(loaded, w)
		}
	}
	if len(loaded) < WindowCount {
		for i := range all {
			all[i].IsScaled = true
		}
		loaded = all
	}
	n := min(WindowCount, len(loaded))
	chosen := make([]Window, n)
	for i := range chosen {
		chosen[i] = loaded[(2*i+1)*len(loaded)/(2*n)]
	}
	return chosen
}

// Take returns the window as a scenario of its own, in which no owner lets a job be stopped and no job reports.
func (w *Window) Take(log *study.Scenario) (*study.Scenario, error) {
	s, err := log.WindowAt(w.FirstJob, w.JobCount)
	if err != nil {
		return nil, fmt.Errorf("the window of %s from job %d: %w", w.Name, w.FirstJob, err)
	}
	s.Name = fmt.Sprintf("%s from job %d", w.Name, w.FirstJob)
	study.NoneReports.SetReports(s.Jobs)
	study.SetStoppableShare(s.Jobs, 0, 1)
	if w.IsScaled {
		return s.ScaleToLoad(ScaledLoad)
	}
	return s, nil
}

const listHead = "site\tfile\tprocessors\tfirst_job\tjobs\tload\tscaled\n"

// WriteWindows writes a list that ReadWindows reads.
func WriteWindows(to io.Writer, windows []Window) error {
	text := listHead
	for _, w := range windows {
		text += fmt.Sprintf("%s\t%s\t%d\t%d\t%d\t%g\t%t\n",
			w.Name, w.File, w.Processors, w.FirstJob, w.JobCount, w.Load, w.IsScaled)
	}
	_, err := io.WriteString(to, text)
	return err
}

// ReadWindows reads a list of windows. Errors name the line.
func ReadWindows(from io.Reader) ([]Window, error) {
	var all []Window
	lines := bufio.NewScanner(from)
	for n := 1; lines.Scan(); n++ {
		if n == 1 {
			if lines.Text()+"\n" != listHead {
				return nil, fmt.Errorf("the list of windows begins with %q, not %q: write it with -choose-windows",
					lines.Text(), listHead)
			}
			continue
		}
		w, err := parseWindow(strings.Split(lines.Text(), "\t"))
		if err != nil {
			return nil, fmt.Errorf("line %d of the list of windows: %w", n, err)
		}
		all = append(all, w)
	}
	return all, lines.Err()
}

func parseWindow(cells []string) (w Window, err error) {
	if want := strings.Count(listHead, "\t") + 1; len(cells) != want {
		return w, fmt.Errorf("%s, want %d", policy.FormatCount(len(cells), "cell"), want)
	}
	w.Name, w.File = cells[0], cells[1]
	var errs [5]error
	w.Processors, errs[0] = strconv.Atoi(cells[2])
	w.FirstJob, errs[1] = strconv.Atoi(cells[3])
	w.JobCount, errs[2] = strconv.Atoi(cells[4])
	w.Load, errs[3] = strconv.ParseFloat(cells[5], 64)
	w.IsScaled, errs[4] = strconv.ParseBool(cells[6])
	if err := errors.Join(errs[:]...); err != nil {
		return w, err
	}
	if w.Processors <= 0 || w.JobCount <= 0 || w.FirstJob < 0 {
		return w, errors.New("processors and jobs must be at least 1, and the first job at least 0")
	}
	return w, nil
}
