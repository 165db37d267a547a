package goodput

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// knownSettings are what the simulators of Pollux and Sia set by hand beside their files.
var knownSettings = map[string]struct{ mostPerDevice, mostDevices int }{
	"yolov3": {mostPerDevice: 8}, // though steps with 16 were measured
	"ncf":    {mostDevices: 1},
}

// ReadProfiles reads a folder with a folder for each kind of job, as published with Pollux and
// Sia: validation-BATCH.csv, and for each GPU type placements[-TYPE].csv and
// scalability[-TYPE].csv; files without a type hold for all types that have none. A table of
// single points (application,nodes,replicas,local_bsz,step_time_s,sync_time_s), a file named
// *lookups.csv in the folder or beside it, comes before what is interpolated. Errors name the
// file and the line.
func ReadProfiles(folder string) (map[string]*Application, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("reading profiles: %w", err)
	}
	lookedUp, err := readLookups(folder)
	if err != nil {
		return nil, err
	}
	all := map[string]*Application{}
	for _, e := range entries {
		files, _ := filepath.Glob(filepath.Join(folder, e.Name(), "validation-*.csv"))
		if len(files) == 0 {
			continue
		}
		p, err := readProfile(filepath.Join(folder, e.Name()), files)
		if err != nil {
			return nil, err
		}
		for i := range p.StepTables {
			p.StepTables[i].LookedUp = lookedUp[p.Name]
		}
		if all[p.Name], err = New(*p); err != nil {
			return nil, fmt.Errorf("reading %s: %w", filepath.Join(folder, e.Name()), err)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("reading profiles: %s has no folder with files validation-*.csv: name the folder that holds one folder for each kind of job", folder)
	}
	return all, nil
}

func readProfile(folder string, validations []string) (*Profile, error) {
	p := &Profile{Name: filepath.Base(folder)}
	for _, path := range validations {
		size, err := strconv.Atoi(strings.TrimPrefix(strings.TrimSuffix(filepath.Base(path), ".csv"), "validation-"))
		if err != nil {
			return nil, fmt.Errorf("reading %s: its name has no batch size, as validation-128.csv has", path)
		}
		v := Validation{BatchSize: size}
		err = readCSV(path, []string{"progress", "iteration", "metric", "grad_sqr", "grad_var"}, func(_ string, x []float64) {
			v.Epochs = append(v.Epochs, Epoch{x[0], x[1], x[2], x[3], x[4]})
		})
		if err != nil {
			return nil, err
		}
		p.Validations = append(p.Validations, v)
	}
	slices.SortFunc(p.Validations, func(a, b Validation) int { return cmp.Compare(a.BatchSize, b.BatchSize) })
	p.InitialBatch, p.MaxBatch = p.Validations[0].BatchSize, p.Validations[len(p.Validations)-1].BatchSize
	if err := p.readStepTables(folder); err != nil {
		return nil, err
	}
	s := knownSettings[p.Name]
	for i := range p.StepTables { // memory as large as where that was set
		if t := &p.StepTables[i]; s.mostPerDevice > 0 && t.MostPerDevice == p.MostPerDevice {
			t.MostPerDevice = s.mostPerDevice
		}
	}
	p.MostPerDevice, p.MostDevices = cmp.Or(s.mostPerDevice, p.MostPerDevice), s.mostDevices
	return p, nil
}

// readStepTables reads the times of steps on every type. The least and the most samples on a
// device are those of the first table, which is that without a type where there is one.
func (p *Profile) readStepTables(folder string) error {
	files, _ := filepath.Glob(filepath.Join(folder, "placements*.csv"))
	for _, path := range files {
		t := StepTable{GPUType: strings.TrimPrefix(strings.TrimSuffix(filepath.Base(path), ".csv"), "placements")}
		t.GPUType = strings.TrimPrefix(t.GPUType, "-")
		err := readCSV(path, []string{"local_bsz", "step_time", "sync_time", "placement"}, func(digits string, x []float64) {
			s := StepSample{Placement: digits, Nodes: len(digits), PerDevice: int(x[0]), Step: x[1], Sync: x[2]}
			for _, d := range digits {
				s.Devices += int(d - '0')
			}
			t.Samples = append(t.Samples, s.withinStep())
		})
		if err != nil {
			return err
		}
		if t.Samples, err = appendScalability(t.Samples, strings.Replace(path, "placements", "scalability", 1)); err != nil {
			return err
		}
		for _, s := range t.Samples {
			if s.Placement != "" && t.GPUType != "" {
				t.MostPerDevice = max(t.MostPerDevice, s.PerDevice)
			}
		}
		p.StepTables = append(p.StepTables, t)
	}
	if len(files) == 0 {
		return fmt.Errorf("reading %s: there is no placements.csv", folder)
	}
	slices.SortFunc(p.StepTables, func(a, b StepTable) int { return cmp.Compare(a.GPUType, b.GPUType) })
	p.LeastPerDevice = math.MaxInt
	for _, s := range p.StepTables[0].Samples {
		if s.Placement != "" {
			p.LeastPerDevice, p.MostPerDevice = min(p.LeastPerDevice, s.PerDevice), max(p.MostPerDevice, s.PerDevice)
		}
	}
	return nil
}

func appendScalability(samples []StepSample, path string) ([]StepSample, error) {
	if _, err := os.Stat(path); err != nil {
		return samples, nil // a type of which only placements were measured
	}
	err := readCSV(path, []string{"num_nodes", "num_replicas", "local_bsz", "step_time", "sync_time"}, func(_ string, x []float64) {
		samples = append(samples, StepSample{Nodes: int(x[0]), Devices: int(x[1]), PerDevice: int(x[2]), Step: x[3], Sync: x[4]}.withinStep())
	})
	return samples, err
}

// withinStep is the sample with no more exchange than there is step: the stages of a pipeline
// exchange while others compute, and files have the sum.
func (s StepSample) withinStep() StepSample {
	s.Sync = min(s.Sync, s.Step)
	return s
}

// readLookups reads single points by kind of job.
func readLookups(folder string) (map[string][]StepSample, error) {
	files, _ := filepath.Glob(filepath.Join(folder, "*lookups.csv"))
	beside, _ := filepath.Glob(filepath.Join(filepath.Dir(filepath.Clean(folder)), "*lookups.csv"))
	all := map[string][]StepSample{}
	for _, path := range append(files, beside...) {
		err := readCSV(path, []string{"nodes", "replicas", "local_bsz", "step_time_s", "sync_time_s", "application"}, func(name string, x []float64) {
			all[name] = append(all[name], StepSample{Nodes: int(x[0]), Devices: int(x[1]), PerDevice: int(x[2]), Step: x[3], Sync: x[4]})
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// impossible says what is wrong with a number of a column; "": nothing.
func impossible(column string, v float64) string {
	switch column {
	case "step_time", "step_time_s":
		if v <= 0 {
			return "a step takes some time: want more than 0 seconds"
		}
	case "sync_time", "sync_time_s":
		if v < 0 {
			return "want 0 seconds or more"
		}
	case "local_bsz", "num_nodes", "num_replicas", "nodes", "replicas":
		if v < 1 {
			return "want 1 or more"
		}
	}
	return ""
}

// readCSV calls take with the columns of every line. "placement" and "application" are text,
// the last of the columns where there is one; all others are numbers.
func readCSV(path string, columns []string, take func(text string, numbers []float64)) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("reading profiles: %w", err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil || len(lines) == 0 {
		return fmt.Errorf("reading %s: %w", path, cmp.Or(err, fmt.Errorf("the file is empty")))
	}
	at := make([]int, len(columns))
	for i, c := range columns {
		if at[i] = slices.Index(lines[0], c); at[i] < 0 {
			return fmt.Errorf("reading %s: there is no column %s", path, c)
		}
	}
	for n, line := range lines[1:] {
		text, numbers := "", make([]float64, 0, len(columns))
		for i, c := range columns {
			cell := line[at[i]]
			if c == "placement" || c == "application" {
				text = cell
				continue
			}
			v, err := strconv.ParseFloat(cell, 64)
			if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("reading %s: line %d: column %s: %q is no number", path, n+2, c, cell)
			}
			if why := impossible(c, v); why != "" {
				return fmt.Errorf("reading %s: line %d: column %s: %s: %s", path, n+2, c, cell, why)
			}
			numbers = append(numbers, v)
		}
		take(text, numbers)
	}
	return nil
}
