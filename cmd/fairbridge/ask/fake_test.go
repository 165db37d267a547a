package ask

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"fairbridge/accounting/journal"
	"fairbridge/accounting/report"
	"fairbridge/api"
	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/source"
)

// fakeSource answers what it was given, and remembers what it was asked.
type fakeSource struct {
	viewer   api.Viewer
	queue    []api.Queue // one a question, the last again and again
	job      *api.Job
	use      *report.JobUse
	changes  api.Changes
	nodes    api.Nodes
	shares   api.Shares
	policies api.Policies
	reports  map[string]*api.Report
	err      error

	queueQueries []api.QueueQuery
	changeQuery  api.ChangeQuery
	nodeQuery    api.NodeQuery
	reportQuery  api.ReportQuery
	isClosed     bool
	readsRecord  bool
}

func (f *fakeSource) Queue(_ context.Context, q api.QueueQuery) (*api.Queue, error) {
	f.queueQueries = append(f.queueQueries, q)
	if f.err != nil {
		return nil, f.err
	}
	a := f.queue[min(len(f.queueQueries), len(f.queue))-1]
	return &a, nil
}

func (f *fakeSource) Job(context.Context, string) (*api.Job, error)          { return f.job, f.err }
func (f *fakeSource) JobUse(context.Context, string) (*report.JobUse, error) { return f.use, f.err }
func (f *fakeSource) When(context.Context, api.WhenQuery) (*api.When, error) { return nil, f.err }
func (f *fakeSource) Shares(context.Context) (*api.Shares, error)            { return &f.shares, f.err }
func (f *fakeSource) Me(context.Context) (*api.Viewer, error)                { return &f.viewer, f.err }
func (f *fakeSource) Policies(context.Context) (*api.Policies, error)        { return &f.policies, f.err }
func (f *fakeSource) Health(context.Context) (*api.Health, error)            { return nil, f.err }
func (f *fakeSource) Studies(context.Context) (*api.Studies, error)          { return nil, f.err }
func (f *fakeSource) Describe() string                                       { return "a test" }
func (f *fakeSource) ReadsRecord() bool                                      { return f.readsRecord }
func (f *fakeSource) Close()                                                 { f.isClosed = true }

func (f *fakeSource) Changes(_ context.Context, q api.ChangeQuery) (*api.Changes, error) {
	f.changeQuery = q
	return &f.changes, f.err
}

func (f *fakeSource) Nodes(_ context.Context, q api.NodeQuery) (*api.Nodes, error) {
	f.nodeQuery = q
	return &f.nodes, f.err
}

func (f *fakeSource) Report(_ context.Context, name string, q api.ReportQuery) (*api.Report, error) {
	f.reportQuery = q
	if r := f.reports[name]; r != nil {
		return r, nil
	}
	return nil, f.err
}

// ask runs a command line against the source and returns what it printed.
func (f *fakeSource) ask(t *testing.T, line ...string) (out, errs string, err error) {
	t.Helper()
	o := &cli.Options{}
	root := &cobra.Command{Use: "fairbridge", SilenceUsage: true, SilenceErrors: true}
	o.AddFlagsTo(root)
	own := func(name string) *cobra.Command {
		return &cobra.Command{Use: name, RunE: func(*cobra.Command, []string) error { return nil }}
	}
	root.AddCommand(newCommands(o, func(context.Context, *cli.Options) (source.Source, error) { return f, nil },
		own("shadow"), own("canary"))...)
	var b, e bytes.Buffer
	root.SetOut(printable.NewWriter(&b))
	root.SetErr(printable.NewWriter(&e))
	root.SetArgs(line)
	err = root.ExecuteContext(t.Context())
	return b.String(), e.String(), err
}

// queueJob makes a job of the queue.
func queueJob(rank int, user string, gpus int, state string) api.QueueJob {
	return api.QueueJob{
		QueueRow: journal.QueueRow{
			Partition: "gpu", Rank: rank, JobID: 100, User: user, Account: user + "s", GPUs: gpus, State: state, Verb: "wait", Why: "because " + user, Arrive: time.Now().Add(-time.Hour),
		},
		Address: strings.Repeat("1", rank),
	}
}

func newFakeSource() *fakeSource {
	now := time.Now()
	return &fakeSource{
		viewer: api.Viewer{User: "ann", Role: api.RoleUser, Origin: "munge"},
		queue: []api.Queue{{
			Partitions: []api.PartitionState{{Name: "gpu", AsOf: now, NotPushed: []string{"mode observe sends nothing"}}},
			Jobs:       []api.QueueJob{queueJob(1, "bob", 8, "RUNNING"), queueJob(2, "ann", 2, "PENDING"), queueJob(3, "carol", 8, "PENDING")}, Total: 3,
		}},
	}
}
