package workload

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
)

const shared = "../../../shared/traces/shockwave/"

// open skips the test where the published traces are not at hand.
func open(t *testing.T, name string) *os.File {
	t.Helper()
	f, err := os.Open(shared + name)
	if os.IsNotExist(err) {
		t.Skipf("the published traces are not here (%s)", shared)
	} else if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func TestStaircaseIsThePublishedOne(t *testing.T) {
	rows, err := csv.NewReader(open(t, "gns_schedule.csv")).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	steps := map[noiseScaleKey]int{}
	for _, row := range rows[1:] {
		n := func(i int) int { v, _ := strconv.Atoi(row[i]); return v }
		j := Training{Model: row[0], BatchSize: n(1), Mode: GNSMode}
		if got := j.noiseScaleBatch(n(3), n(2)); got != n(4) {
			t.Errorf("%v: batch %d", row, got)
		}
		if n(3) > 0 {
			if got := j.noiseScaleBatch(n(3)-1, n(2)); got != n(4)/2 {
				t.Errorf("%v: batch %d one epoch before", row, got)
			}
			steps[noiseScaleKey{row[0], n(1), n(2)}]++
		}
	}
	for s, from := range noiseScaleDoublingEpochs {
		if len(from) != steps[s] {
			t.Errorf("%v: %d doublings, published are %d", s, len(from), steps[s])
		}
	}
}

type published struct {
	ID      int64
	JobType string `json:"job_type"`
	Model   string
	Mode    BatchMode
	GPUs    int
	Steps   int64        `json:"total_steps"`
	Epochs  int          `json:"epochs"`
	Batches [][2]int     `json:"batch_size_runs"`
	Seconds [][2]float64 `json:"epoch_seconds_runs"`
}

func TestPlansAreThePublishedOnes(t *testing.T) {
	for jobs, table := range map[string]string{"jobs_120_32gpus.json": "throughputs_tacc.json", "jobs_220_64gpus.json": "throughputs_wisr.json"} {
		tables := readTables(t, table)
		var all []published
		if err := json.NewDecoder(open(t, jobs)).Decode(&all); err != nil {
			t.Fatal(err)
		}
		for _, p := range all {
			checkPlan(t, p, tables)
		}
	}
}

func checkPlan(t *testing.T, p published, tables *SpeedTables) {
	t.Helper()
	_, batch, _ := strings.Cut(strings.TrimSuffix(p.JobType, ")"), "(batch size ")
	b, _ := strconv.Atoi(batch)
	j := &Job{ID: p.ID, GPUs: p.GPUs, Training: &Training{Model: p.Model, BatchSize: b, Mode: p.Mode, Steps: p.Steps}}
	plan, err := PlannedRegimes(j, tables, "v100")
	if err != nil {
		t.Fatal(err)
	}
	want, got := fmt.Sprint(p.Batches), ""
	for _, r := range plan {
		got += fmt.Sprintf(" [%d %v]", r.BatchSize, r.Epochs)
	}
	if got = "[" + strings.TrimSpace(got) + "]"; got != want {
		t.Errorf("%v of %d GPUs, %v, %d epochs: plan %s, published %s", p.JobType, p.GPUs, p.Mode, p.Epochs, got, want)
	}
	sum := 0.0
	for _, r := range p.Seconds {
		sum += r[0] * r[1]
	}
	if a := SumPlannedSeconds(plan); math.Abs(a-sum) > 1e-5 {
		t.Errorf("job %d: %v s alone, published %v", p.ID, a, sum)
	}
}

// readTables reads the published JSON: type, then "('class', GPUs)", then
// "null" or a neighbour.
func readTables(t *testing.T, name string) *SpeedTables {
	t.Helper()
	var raw map[string]map[string]map[string]any
	if err := json.NewDecoder(open(t, name)).Decode(&raw); err != nil {
		t.Fatal(err)
	}
	var rows []SpeedRow
	for typ, byClass := range raw {
		for name, speeds := range byClass {
			class, gpus := split(name)
			for other, v := range speeds {
				if pair, ok := v.([]any); ok {
					o, _ := split(other)
					rows = append(rows, SpeedRow{typ, class, gpus, pair[0].(float64), o, pair[1].(float64)})
				} else {
					rows = append(rows, SpeedRow{GPUType: typ, Class: class, GPUCount: gpus, StepsPerSecond: v.(float64)})
				}
			}
		}
	}
	return NewSpeedTables(rows)
}

func split(name string) (class string, gpus int) {
	class, n, _ := strings.Cut(strings.TrimPrefix(name, "('"), "', ")
	gpus, _ = strconv.Atoi(strings.TrimSuffix(n, ")"))
	return class, gpus
}
