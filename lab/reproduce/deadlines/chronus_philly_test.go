package deadlines

import (
	"encoding/csv"
	"os"
	"strconv"
	"testing"

	"fairbridge/policy/paper"
	"fairbridge/replica/workload"
)

// chronusTrace is the job file of the Chronus artifact, made from Philly's: 30,940 jobs, all with a deadline.
const chronusTrace = "../../../../shared/traces/chronus/trace_job_Philly_SLO.csv"

// readChronusWindow reads the jobs that arrive in so many minutes, from one on. The artifact counts in minutes.
func readChronusWindow(t *testing.T, from, length float64) []workload.Job {
	t.Helper()
	f, err := os.Open(chronusTrace)
	if err != nil {
		t.Skip("the published traces are not here:", err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	var jobs []workload.Job
	for _, row := range rows[1:] {
		number := func(name string) float64 {
			v, err := strconv.ParseFloat(row[column[name]], 64)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		arrive := number("submit_time")
		if arrive < from || arrive >= from+length || number("num_gpu") < 1 {
			continue
		}
		jobs = append(jobs, workload.Job{ID: int64(len(jobs) + 1), Name: row[column["model_name"]], User: row[column["user"]], Account: row[column["user"]],
			GPUs: int(number("num_gpu")), Arrive: 60 * (arrive - from), Duration: 60 * number("duration"), Deadline: 60 * (arrive - from + number("expect_time_list"))})
	}
	return jobs
}

// TestReproduceChronusOnPhilly: in six windows of 50 hours of the artifact's trace, in which every job has a deadline, on its 120 nodes of 8 GPUs, the
// earliest deadline first misses at least twice as many as Chronus, and Chronus without its reserve none.
func TestReproduceChronusOnPhilly(t *testing.T) {
	nodes, edfMissed, missed := newNodes(120, 8), 0., 0.
	for w := range 6 {
		jobs := readChronusWindow(t, float64(w)*3000, 3000)
		edf, bare, ours := simulate(t, system(t, "edf", nil), nodes, jobs, 0), simulate(t, system(t, "chronus", paper.Params{"reserve": 0.}), nodes, jobs, 0), simulate(t, system(t, "chronus", nil), nodes, jobs, 0)
		edfMissed, missed = edfMissed+edf.missed*float64(len(jobs)), missed+ours.missed*float64(len(jobs))
		t.Logf("window %d, %d jobs: missed under edf %.2f %%, under chronus %.2f %%, without a reserve %.2f %%", w, len(jobs), 100*edf.missed, 100*ours.missed, 100*bare.missed)
		if bare.missed > 0 {
			t.Errorf("window %d: chronus without a reserve misses %.4f of the deadlines, want none", w, bare.missed)
		}
	}
	if edfMissed < 10 || edfMissed < 2*missed {
		t.Errorf("edf misses %.0f deadlines and chronus %.0f, want half as many at most, and some", edfMissed, missed)
	}
}
