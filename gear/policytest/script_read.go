package policytest

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"fairbridge/policy"
)

// textCase is a case once read.
type textCase struct {
	policyName     string
	params         map[string]any
	snapshot       *policy.Snapshot
	stepLength     time.Duration
	reasonPatterns []string
	workTimeByJob  map[policy.JobID]time.Duration
}

func (c *textCase) jobName(id policy.JobID) string { return c.snapshot.Job(id).Name }

// tableRow is a line of a table by column; reading a cell collects errors.
type tableRow struct {
	cells map[string]string
	err   *error
}

func (r tableRow) noteError(column string, err error) {
	if err != nil {
		*r.err = errors.Join(*r.err, fmt.Errorf("column %s of %v: %w", column, r.cells, err))
	}
}

func (r tableRow) textCell(column string) string {
	if v := r.cells[column]; v != "-" {
		return v
	}
	return ""
}

func (r tableRow) numberCell(column string) float64 {
	v := r.textCell(column)
	if v == "" {
		return 0
	}
	x, err := strconv.ParseFloat(v, 64)
	r.noteError(column, err)
	return x
}

func (r tableRow) durationCell(column string) time.Duration {
	v := r.textCell(column)
	if v == "" {
		return 0
	}
	d, err := time.ParseDuration(v)
	r.noteError(column, err)
	return d
}

// timeAgoCell reads how long ago something was; empty: it never was.
func (r tableRow) timeAgoCell(column string) (t time.Time) {
	if r.textCell(column) == "" {
		return t
	}
	return SnapshotTime.Add(-r.durationCell(column))
}

// parseTable reads lines of cells under a line of column names.
func parseTable(text string, err *error) []tableRow {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	columns := strings.Fields(lines[0])
	var rows []tableRow
	for _, line := range lines[1:] {
		r := tableRow{map[string]string{}, err}
		cells := strings.Fields(line)
		if len(cells) != len(columns) {
			*err = errors.Join(*err, fmt.Errorf("%q has %d cells for %d columns", line, len(cells), len(columns)))
			continue
		}
		for i, c := range columns {
			r.cells[c] = cells[i]
		}
		rows = append(rows, r)
	}
	return rows
}

func readCase(a *txtar.Archive) (c *textCase, err error) {
	c = &textCase{snapshot: &policy.Snapshot{Seq: 1, Now: SnapshotTime}, workTimeByJob: map[policy.JobID]time.Duration{}}
	tables := map[string]func(i int, r tableRow){
		"nodes":    func(_ int, r tableRow) { c.snapshot.Nodes = append(c.snapshot.Nodes, r.parseNode()) },
		"accounts": func(_ int, r tableRow) { c.readAccount(r) },
		"users":    func(_ int, r tableRow) { c.readUser(r) },
		"services": func(_ int, r tableRow) { c.readService(r) },
		"budgets":  func(_ int, r tableRow) { c.readDeadlineBudget(r) },
		"jobs":     c.readJob,
		"history":  func(_ int, r tableRow) { c.readFinishedJob(r) },
	}
	for _, f := range a.Files {
		if read := tables[f.Name]; read != nil {
			for i, r := range parseTable(string(f.Data), &err) {
				read(i, r)
			}
			continue
		}
		err = errors.Join(err, c.readText(f.Name, string(f.Data)))
	}
	return c, err
}

// readText reads a file that is no table.
func (c *textCase) readText(name, text string) error {
	switch name {
	case "policy":
		c.readPolicy(text)
	case "step":
		return c.readStep(text)
	case "why":
		c.reasonPatterns = strings.Split(strings.TrimSpace(text), "\n")
	case "trust":
		return c.readTrust(text)
	case "memo":
		c.snapshot.Memo = policy.MemoFromJSON([]byte(text))
	case "want", "timeline":
	default:
		return fmt.Errorf("unknown file %s", name)
	}
	return nil
}

func (c *textCase) readStep(text string) (err error) {
	c.stepLength, err = time.ParseDuration(strings.TrimSpace(text))
	return err
}

func (c *textCase) readTrust(text string) (err error) {
	c.snapshot.PredictionTrust, err = strconv.ParseFloat(strings.TrimSpace(text), 64)
	return err
}

func (c *textCase) readAccount(r tableRow) {
	c.snapshot.Accounts = append(c.snapshot.Accounts, policy.Account{Name: r.textCell("name"), Parent: r.textCell("parent"),
		Weight: r.numberCell("weight"), UsedService: policy.GPUSeconds(r.numberCell("used") * 3600), RecentService: policy.GPUSeconds(r.numberCell("recent") * 3600)})
}

func (c *textCase) readUser(r tableRow) {
	c.snapshot.Users = append(c.snapshot.Users, policy.User{Name: r.textCell("name"), Account: cmp.Or(r.textCell("account"), "default"), Weight: r.numberCell("weight")})
}

func (c *textCase) readDeadlineBudget(r tableRow) {
	c.snapshot.DeadlineBudgets = append(c.snapshot.DeadlineBudgets, policy.DeadlineBudget{Account: r.textCell("account"), QOS: r.textCell("qos"), Weekly: policy.GPUSeconds(r.numberCell("weekly") * 3600)})
}

// readService reads an inference service that needs now GPUs until a time, and later GPUs from then on, or how its
// replicas are scaled.
func (c *textCase) readService(r tableRow) {
	v := policy.InferenceService{Name: r.textCell("name"), Partition: cmp.Or(r.textCell("partition"), "batch"), GPUType: r.textCell("type"), OwnGPUs: int(r.numberCell("own")),
		Forecast: []policy.DemandForecast{{From: SnapshotTime, GPUs: int(r.numberCell("now"))}}}
	if r.textCell("from") != "" {
		v.Forecast = append(v.Forecast, policy.DemandForecast{From: r.timeAheadCell("from"), GPUs: int(r.numberCell("later"))})
	}
	v.Scaling = r.parseReplicaScaling()
	c.snapshot.InferenceServices = append(c.snapshot.InferenceServices, v)
}

// parseReplicaScaling reads the requests a second of the last minutes, as "40,45,50", and of whom 99 % are to be answered
// within what time.
func (r tableRow) parseReplicaScaling() *policy.ReplicaScaling {
	if r.textCell("rates") == "" {
		return nil
	}
	c := &policy.ReplicaScaling{Least: int(r.numberCell("least")), Most: int(r.numberCell("most")), ResponseWithin: r.durationCell("within"), ResponsePart: .99,
		ServiceTime: r.durationCell("request"), SetupTime: r.durationCell("setup"), RateWindow: time.Minute}
	for text := range strings.SplitSeq(r.textCell("rates"), ",") {
		rate, err := strconv.ParseFloat(text, 64)
		r.noteError("rates", err)
		c.Rates = append(c.Rates, rate)
	}
	return c
}

func (c *textCase) readFinishedJob(r tableRow) {
	h := policy.FinishedJob{GPUs: int(r.numberCell("gpus")), Ran: r.durationCell("ran")}
	h.Service = policy.ServiceForTime(float64(h.GPUs), h.Ran)
	c.snapshot.History = append(c.snapshot.History, h)
}

// readPolicy reads a name and name=value pairs, values as YAML would.
func (c *textCase) readPolicy(text string) {
	words := strings.Fields(text)
	c.policyName, c.params = words[0], map[string]any{}
	for _, w := range words[1:] {
		name, value, _ := strings.Cut(w, "=")
		c.params[name] = parseScalar(value)
		if list, ok := strings.CutPrefix(value, "["); ok {
			var all []any
			for v := range strings.SplitSeq(strings.TrimSuffix(list, "]"), ",") {
				all = append(all, parseScalar(v))
			}
			c.params[name] = all
		}
	}
}

func parseScalar(v string) any {
	if x, err := strconv.ParseFloat(v, 64); err == nil {
		return x
	}
	if b, err := strconv.ParseBool(v); err == nil {
		return b
	}
	return v
}
