package trace

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"fairbridge/replica/workload"
)

// The columns of pai_task_table.csv and pai_job_table.csv, which have no header.
const (
	paiJobColumn, paiTaskColumn, paiInstancesColumn, paiStatusColumn, paiStartColumn, paiEndColumn, paiCPUColumn, paiMemColumn, paiGPUColumn, paiTypeColumn = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9

	paiTaskColumnCount, paiJobColumnCount = 10, 6
	paiJobUserColumn, paiJobStartColumn   = 2, 4
)

// paiEndByStatus are the words for how a task ended, and whether it did.
var paiEndByStatus = map[string]workload.JobEnd{"Terminated": workload.Completed, "Failed": workload.Failed}

func isPAI(head string) bool {
	first, _, _ := strings.Cut(head, "\n")
	cells := strings.Split(strings.TrimSpace(first), ",")
	if len(cells) != paiTaskColumnCount && len(cells) != paiJobColumnCount {
		return false
	}
	switch cells[3] {
	case "Terminated", "Failed", "Running", "Waiting":
		return true
	}
	return false
}

// paiGang is a job: its tasks run together.
type paiGang struct {
	workload.Job
	line            int
	hundredthsOfGPU float64 // GPUs, in hundredths
	start, end      float64
	isOpen          bool // a task has not ended
}

// readPAI reads the tasks of Alibaba's trace of 2020. The users and submission
// times stand in pai_job_table.csv, which is used where it lies in the same
// folder.
func readPAI(in *bufio.Reader, s *jobCollector) error {
	s.shiftsToFirstArrival = true
	gangs := map[string]*paiGang{}
	var order []*paiGang
	err := forEachRow(in, s.path, func(r *row, line int) error {
		if len(r.cells) == paiJobColumnCount {
			return workload.Problem{File: s.path, Line: line, Message: "this is the job table, which has no GPUs; name the task table, and leave the job table in its folder"}
		}
		if len(r.cells) != paiTaskColumnCount {
			return s.rejectLine(line, newUnlocatedProblem("", "%d columns, want %d", len(r.cells), paiTaskColumnCount))
		}
		g := gangs[r.cells[paiJobColumn]]
		if g == nil {
			g = &paiGang{Job: workload.Job{ID: unassignedID, Name: strings.Clone(r.cells[paiJobColumn])}, line: line, start: math.Inf(1)}
			gangs[g.Name] = g
			order = append(order, g)
		}
		if err := g.addTask(r); err != nil {
			return s.rejectLine(line, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	addJobTable(gangs, filepath.Join(filepath.Dir(s.path), "pai_job_table.csv"))
	for _, g := range order {
		if err := g.addToCollector(s); err != nil {
			return err
		}
	}
	return nil
}

// addTask adds a task.
func (g *paiGang) addTask(r *row) error {
	end, ended := paiEndByStatus[r.cells[paiStatusColumn]]
	if !ended || r.cells[paiEndColumn] == "" || r.cells[paiStartColumn] == "" {
		g.isOpen = true
		return nil
	}
	if r.cells[paiGPUColumn] != "" {
		typ := paiGPUType(r.cells[paiTypeColumn])
		if g.hundredthsOfGPU > 0 && typ != g.GPUType {
			typ = "" // of several types none is that of all
		}
		g.hundredthsOfGPU += r.parseNumber("plan_gpu", paiGPUColumn) * r.parseNumber("inst_num", paiInstancesColumn)
		g.GPUType = typ
	}
	if end != workload.Completed {
		g.End = end
	}
	g.start = min(g.start, r.parseNumber("start_time", paiStartColumn))
	g.end = max(g.end, r.parseNumber("end_time", paiEndColumn))
	return r.err
}

// paiGPUType leaves out types that stand for whatever there is.
func paiGPUType(s string) string {
	if s == "MISC" || s == "CPU" {
		return ""
	}
	return strings.Clone(s)
}

func (g *paiGang) addToCollector(s *jobCollector) error {
	switch {
	case g.isOpen:
		s.countIgnored(ignoredNotEnded)
	case g.hundredthsOfGPU <= 0:
		s.countIgnored(ignoredWithoutGPUs)
	case g.end <= g.start:
		s.countIgnored(ignoredNeverRan)
	default:
		g.GPUs, g.IsShareable = int(math.Ceil(g.hundredthsOfGPU/100)), g.hundredthsOfGPU < 100
		g.Duration = g.end - g.start
		if g.Arrive == 0 {
			g.Arrive = g.start
		}
		return s.addJob(g.Job, g.line)
	}
	return nil
}

// addJobTable adds what the job table knows. A table that is not there or cannot
// be read leaves the jobs as they are: they arrive when they started.
func addJobTable(gangs map[string]*paiGang, path string) {
	f, err := os.Open(path)
	if err != nil {
		return
	}
	defer f.Close()
	_ = forEachRow(f, path, func(r *row, _ int) error {
		if len(r.cells) != paiJobColumnCount {
			return nil
		}
		if g := gangs[r.cells[paiJobColumn]]; g != nil {
			g.User = strings.Clone(r.cells[paiJobUserColumn])
			if at := r.parseNumber("start_time", paiJobStartColumn); r.err == nil && at <= g.start {
				g.Arrive = at
			}
		}
		return nil
	})
}

// forEachRow calls take with the rows of a table without a header.
func forEachRow(in io.Reader, path string, take func(r *row, line int) error) error {
	c := csv.NewReader(in)
	c.FieldsPerRecord, c.ReuseRecord, c.LazyQuotes = -1, true, true
	for {
		cells, err := c.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		line, _ := c.FieldPos(0)
		if err != nil {
			return workload.Problem{File: path, Line: line, Message: fmt.Sprint(err)}
		}
		if err := take(&row{cells: cells}, line); err != nil {
			return err
		}
	}
}
