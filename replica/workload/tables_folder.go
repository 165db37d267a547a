package workload

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"fairbridge/bridge/printable"
	"fairbridge/policy"
)

// maxTableSize is how many GPUs a job of such tables gets at the most, as ElasticFlow has it.
const maxTableSize = 64

// readSpeedFolder reads a folder of ElasticFlow's throughput tables, one MODEL.csv for each
// model: below a header of global_batch_size and numbers of GPUs, a row for each batch size of
// steps per second. Cells without a speed (empty, nan, 0) say that the job does not run there. The
// GPU type is what stands behind the last underscore of the folder's name, in small letters: a100
// for throughputs_A100.
func readSpeedFolder(path string) (*SpeedTables, error) {
	files, err := filepath.Glob(filepath.Join(path, "*.csv"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("reading throughput tables: the folder %s has no table MODEL.csv in it", path)
	}
	name := filepath.Base(filepath.Clean(path))
	typ := strings.ToLower(name[strings.LastIndex(name, "_")+1:])
	var rows []SpeedRow
	for _, file := range files {
		more, err := readSpeedCSV(file, typ)
		if err != nil {
			return nil, fmt.Errorf("reading throughput tables of %s: %w", file, err)
		}
		rows = append(rows, more...)
	}
	t := NewSpeedTables(rows)
	t.tellsSizes = true
	return t, nil
}

// readSpeedCSV reads the table of one model.
func readSpeedCSV(path, typ string) ([]SpeedRow, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := csv.NewReader(f)
	in.FieldsPerRecord = -1
	lines, err := in.ReadAll()
	if err != nil {
		return nil, err
	}
	model := strings.TrimSuffix(filepath.Base(path), ".csv")
	var rows []SpeedRow
	for i, line := range lines {
		if i == 0 {
			continue
		}
		more, err := parseSpeedLine(lines[0], line, typ, model)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// parseSpeedLine reads the speeds at one batch size.
func parseSpeedLine(head, line []string, typ, model string) ([]SpeedRow, error) {
	batch, err := strconv.Atoi(strings.TrimSpace(line[0]))
	if err != nil || batch <= 0 || len(line) > len(head) {
		return nil, fmt.Errorf("want a batch size and a speed for each number of GPUs of the header, got %q", printable.Truncate(strings.Join(line, ","), 61))
	}
	var rows []SpeedRow
	for i := 1; i < len(line); i++ {
		text := strings.TrimSpace(line[i])
		if text == "" {
			continue
		}
		gpus, err := strconv.Atoi(strings.TrimSpace(head[i]))
		if err != nil || gpus <= 0 {
			return nil, fmt.Errorf("the header names %q, want a number of GPUs", printable.Truncate(head[i], 61))
		}
		speed, err := strconv.ParseFloat(text, 64)
		if err != nil || speed < 0 || math.IsInf(speed, 0) {
			return nil, fmt.Errorf("%q is no speed in steps per second", printable.Truncate(text, 61))
		}
		if speed > 0 { // and a number
			rows = append(rows, SpeedRow{GPUType: typ, Class: ClassOf(model, batch), GPUCount: gpus, StepsPerSecond: speed})
		}
	}
	return rows, nil
}

// TellsSizes reports whether the tables are of jobs that run on every number of GPUs in them:
// see LetResize. A nil SpeedTables is of none.
func (t *SpeedTables) TellsSizes() bool { return t != nil && t.tellsSizes }

// LetResize lets a training job run on as many GPUs as the tables have a speed of its class
// for, up to its batch size and 64, and tells how fast it is on each. It changes nothing where
// the tables do not tell sizes (TellsSizes) or know only one.
func (t *SpeedTables) LetResize(j *Job) {
	if !t.TellsSizes() || j.Training == nil || j.Scaling != nil {
		return
	}
	var points []policy.SpeedPoint
	for _, typ := range t.gpuTypes {
		for _, k := range t.ClassSizes(typ) {
			if steps, _ := t.StepsAlone(typ, k.Class, k.GPUs); k.Class == j.Class {
				points = append(points, policy.SpeedPoint{Type: typ, Devices: k.GPUs, StepsPerSecond: steps})
			}
		}
	}
	slices.SortFunc(points, func(a, b policy.SpeedPoint) int {
		if c := strings.Compare(a.Type, b.Type); c != 0 {
			return c
		}
		return a.Devices - b.Devices
	})
	if len(points) == 0 {
		return
	}
	least, most := points[0].Devices, 0
	for _, p := range points {
		least = min(least, p.Devices)
		if p.Devices <= min(maxTableSize, max(j.Training.BatchSize, j.GPUs)) {
			most = max(most, p.Devices)
		}
	}
	if most > least {
		j.MinGPUs, j.MaxGPUs = least, most
		j.Scaling = &policy.Scaling{Source: policy.ScalingFromTable, Points: points}
	}
}
