// Package trial puts a workload, a cluster and policies together and simulates
// them: what simulate and compare have in common.
package trial

import (
	"fmt"
	"slices"
	"strings"

	"fairbridge/bridge/study/cluster"
	"fairbridge/bridge/study/trace"
	"fairbridge/bridge/study/workload"
	"fairbridge/policy"
)

// Source says where a workload comes from.
type Source struct {
	Trace       string // file
	Format      string // of the file; "": found out
	Tables      string // file of throughput tables; "": none
	Nodes       []policy.Node
	GPUsPerProc float64
	SkipBad     bool // leave out jobs that make no sense or fit nowhere
	Silent      bool // jobs report nothing to the policies
}

// Workload is what policies are tried on. It is only read.
type Workload struct {
	Name     string
	Jobs     []workload.Job
	Tables   *workload.Tables
	Nodes    []policy.Node
	Accounts []policy.Account
	Remarks  []string // what was left out, in sentences
}

// Formats are the names of the formats a trace may have.
func Formats() []string {
	var all []string
	for _, f := range trace.Formats() {
		all = append(all, f.Name)
	}
	return all
}

// Load reads a workload and makes sure that every job could run. Errors name
// the line, or the entry the tables lack.
func Load(s Source) (*Workload, error) {
	var err error
	w := &Workload{Nodes: s.Nodes}
	if s.Tables != "" {
		if w.Tables, err = trace.ReadTables(s.Tables); err != nil {
			return nil, err
		}
	}
	t, err := trace.Open(s.Trace, trace.Options{Format: s.Format, GPUsPerProc: s.GPUsPerProc, SkipBad: s.SkipBad})
	if err != nil {
		return nil, err
	}
	w.Name, w.Jobs, w.Accounts = t.Name, t.Jobs, t.Accounts
	w.remark(t)
	if s.Silent {
		w.Hush()
	}
	return w, w.settle(s.Trace, s.SkipBad)
}

// New makes a workload of jobs that were drawn.
func New(name string, jobs []workload.Job, tables *workload.Tables, accounts []policy.Account, nodes []policy.Node) (*Workload, error) {
	w := &Workload{Name: name, Jobs: slices.Clone(jobs), Tables: tables, Nodes: nodes, Accounts: accounts}
	return w, w.settle(name, false)
}

// NewFitting is New for jobs of a cluster that was another once: it leaves out
// those that would not fit on the nodes.
func NewFitting(name string, jobs []workload.Job, accounts []policy.Account, nodes []policy.Node) (*Workload, error) {
	w := &Workload{Name: name, Jobs: slices.Clone(jobs), Nodes: nodes, Accounts: accounts}
	return w, w.settle(name, true)
}

// Hush makes all jobs report nothing: a policy sees what Slurm says of a plain
// batch job. What the jobs do stays as it is.
func (w *Workload) Hush() {
	for i := range w.Jobs {
		w.Jobs[i].Silent = true
	}
}

// GPUs is the size of the cluster.
func (w *Workload) GPUs() int { return cluster.GPUs(w.Nodes) }

// settle leaves out or refuses what could not run, and completes what a trace
// may leave open.
func (w *Workload) settle(path string, skip bool) error {
	if err := w.fit(path, skip); err != nil {
		return err
	}
	for i := range w.Jobs {
		w.Jobs[i].Partition = cluster.Partition
	}
	w.Accounts = accounts(w.Accounts, w.Jobs)
	return nil
}

// accounts adds those that jobs name and nobody gave a weight to, with one
// share.
func accounts(known []policy.Account, jobs []workload.Job) []policy.Account {
	all := slices.Clone(known)
	names := map[string]bool{}
	for _, a := range all {
		names[a.Name] = true
	}
	for i := range jobs {
		if name := jobs[i].Account; !names[name] {
			names[name] = true
			all = append(all, policy.Account{Name: name, Weight: 1})
		}
	}
	slices.SortFunc(all, func(a, b policy.Account) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// remark notes what the file has that is no job.
func (w *Workload) remark(t *trace.Trace) {
	for _, why := range t.Reasons() {
		w.Remarks = append(w.Remarks, fmt.Sprintf("%d rows are passed over: %s", t.Ignored[why], why))
	}
	if t.Skipped > 0 {
		w.Remarks = append(w.Remarks, fmt.Sprintf("%d bad rows are skipped, the first: %v", t.Skipped, t.Bad[0]))
	}
}
