package topcommand

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"fairbridge/api"
	"fairbridge/bridge/printable"
	"fairbridge/cmd/fairbridge/ask"
	"fairbridge/cmd/internal/output"
	"fairbridge/cmd/internal/source"
)

// maxJobs is how many jobs are read at a time: a screen is no place for more.
const maxJobs = 10_000

// ownColumns are what is shown of jobs of who asks: whose they are is known.
var ownColumns = strings.Fields("partition rank job name gpus state verb age early middle late why")

// views are what a name calls up, in the order of the help; the first is shown at the start.
var views = []*subject{
	withList(subject{name: "queue", about: "all jobs by rank, with what was decided and why", narrow: []string{"ACCOUNT", "PARTITION", "STATE", "AGE"}},
		readQueue(false), listJobs(ask.QueueColumnNames()), writeQueueNotes(false)),
	withList(subject{name: "jobs", aliases: []string{"me"}, about: "your jobs, with when they are thought to start", narrow: []string{"PARTITION", "EARLY", "STATE", "NAME", "LATE", "AGE"}},
		readQueue(true), listJobs(ownColumns), writeQueueNotes(true)),
	withDetails(withList(subject{name: "nodes", aliases: []string{"gpus"}, about: "nodes and their GPUs: given, free, measured", narrow: []string{"PARTITION", "MEMORY"}},
		readNodes, func(a aged[*api.Nodes], _ time.Time) ask.List { return ask.NewNodeList(a.answer) }, writeNodeNotes), ask.WriteNodeDetails),
	withDetails(withList(subject{name: "shares", aliases: []string{"accounts"}, about: "what accounts are entitled to, got, hold and want", narrow: []string{"PARENT", "SHARES"}},
		readShares, func(a aged[*api.Shares], _ time.Time) ask.List { return ask.NewShareList(a.answer) }, writeShareNotes), ask.WriteShareDetails),
	withList(subject{name: "idle", about: "GPUs that running jobs hold idle now, and for how long", narrow: []string{"ACCOUNT", "MEASURED GPUS", "GPU TYPE"}, every: time.Minute},
		readReport("idle-now"), func(a *api.Report, _ time.Time) ask.List { return ask.NewReportList(a) }, writeReportNotes),
	withList(subject{name: "changes", aliases: []string{"decisions", "ledger"}, about: "what was changed in Slurm in the last day, and what came of it", narrow: []string{"ID", "USER", "JOB", "STATE"}},
		readChanges, ask.NewChangeList, writeChangeNotes),
}

// findView returns the view that a name, an alias or the beginning of just one name calls up; nil: none.
func findView(word string) *subject {
	var found []*subject
	for _, v := range views {
		if v.name == word || slices.Contains(v.aliases, word) {
			return v
		}
		if strings.HasPrefix(v.name, word) {
			found = append(found, v)
		}
	}
	if len(found) == 1 && word != "" {
		return found[0]
	}
	return nil
}

func readQueue(isMine bool) func(ctx context.Context, s source.Source, now time.Time) (*api.Queue, error) {
	return func(ctx context.Context, s source.Source, _ time.Time) (*api.Queue, error) {
		q := api.QueueQuery{Limit: maxJobs, Estimates: isMine}
		if isMine {
			me, err := s.Me(ctx)
			if err != nil {
				return nil, err
			}
			q.Users = []string{me.User}
		}
		return s.Queue(ctx, q)
	}
}

func listJobs(columns []string) func(a *api.Queue, now time.Time) ask.List {
	return func(a *api.Queue, now time.Time) ask.List {
		l, err := ask.NewQueueList(a.Jobs, columns, now)
		if err != nil { // a column of ours that there is not
			panic(err)
		}
		return l
	}
}

func writeQueueNotes(isMine bool) func(w io.Writer, a *api.Queue, c circumstances) {
	return func(w io.Writer, a *api.Queue, c circumstances) {
		shown := *a
		if a.Total > len(a.Jobs) && len(a.Jobs) > 0 {
			printable.Fprintf(w, "The first %d of %d jobs; fairbridge queue has all.\n", len(a.Jobs), a.Total)
			shown.Total = len(a.Jobs)
		}
		ask.WriteQueueNotes(w, &shown, isMine, c.isLocal, c.now)
	}
}

// aged is an answer with how fairbridge is, where the answer is old.
type aged[T any] struct {
	answer T
	daemon *api.DaemonState
}

func readNodes(ctx context.Context, s source.Source, _ time.Time) (aged[*api.Nodes], error) {
	a, err := s.Nodes(ctx, api.NodeQuery{Limit: api.MaxLimit})
	if err != nil {
		return aged[*api.Nodes]{}, err
	}
	return aged[*api.Nodes]{a, ask.DaemonStateOf(ctx, s, a.Stale)}, nil
}

func writeNodeNotes(w io.Writer, a aged[*api.Nodes], c circumstances) {
	printable.Fprintln(w, ask.NodeSumText(a.answer))
	ask.WriteAsOf(w, a.answer.AsOf, a.answer.Stale, c.isLocal, a.daemon, c.now)
}

func readShares(ctx context.Context, s source.Source, _ time.Time) (aged[*api.Shares], error) {
	a, err := s.Shares(ctx)
	if err != nil {
		return aged[*api.Shares]{}, err
	}
	return aged[*api.Shares]{a, ask.DaemonStateOf(ctx, s, a.Stale)}, nil
}

func writeShareNotes(w io.Writer, a aged[*api.Shares], c circumstances) {
	if a.answer.Hidden > 0 {
		output.WriteParagraph(w, "", fmt.Sprintf("%d of others not shown: your site keeps what they used private.", a.answer.Hidden))
	}
	ask.WriteAsOf(w, a.answer.AsOf, a.answer.Stale, c.isLocal, a.daemon, c.now)
}

func readReport(name string) func(ctx context.Context, s source.Source, now time.Time) (*api.Report, error) {
	return func(ctx context.Context, s source.Source, now time.Time) (*api.Report, error) {
		return s.Report(ctx, name, api.ReportQuery{Since: now.Add(-7 * 24 * time.Hour), Until: now})
	}
}

func writeReportNotes(w io.Writer, a *api.Report, c circumstances) {
	ask.WriteReportNotes(w, a, c.now)
}

func readChanges(ctx context.Context, s source.Source, now time.Time) (*api.Changes, error) {
	return s.Changes(ctx, api.ChangeQuery{Since: now.Add(-24 * time.Hour), Limit: api.DefaultLimit})
}

func writeChangeNotes(w io.Writer, a *api.Changes, _ circumstances) {
	switch {
	case len(a.Changes) == 0:
		printable.Fprintln(w, "Nothing that you may see was changed in Slurm in the last day.")
	case a.Next != "":
		printable.Fprintf(w, "The newest %d; fairbridge changes has more.\n", len(a.Changes))
	}
}

// withDetails gives a view what to say of a row.
func withDetails[T any](s *subject, write func(w io.Writer, a T, key string)) *subject {
	s.details = func(w io.Writer, answer any, key string) { write(w, answer.(aged[T]).answer, key) }
	return s
}

// subject is something that the screen may show: a view of the cluster, or one job.
type subject struct {
	name    string        // by which it is called up: queue; of a job with its address: explain 4711
	aliases []string      // other names of a view
	about   string        // what a view shows, for the help
	every   time.Duration // it is asked about no more often, since the answer is dear
	narrow  []string      // columns that are left out where there is no room, the first first

	read func(ctx context.Context, s source.Source, now time.Time) (any, error) // nil: it does not change
	list func(answer any, now time.Time) ask.List                               // nil: it is a text
	// text writes what stands below the list, or the text itself.
	text func(w io.Writer, answer any, c circumstances)
	// details writes more of the row that a key belongs to; nil: the row is written out.
	details func(w io.Writer, answer any, key string)
}

// circumstances are what texts hang on besides the answer.
type circumstances struct {
	now     time.Time
	isLocal bool // the record is read, and no daemon asked
}

// withList gives a subject functions of the type that it reads.
func withList[T any](s subject, read func(ctx context.Context, s source.Source, now time.Time) (T, error), list func(T, time.Time) ask.List, notes func(io.Writer, T, circumstances)) *subject {
	withText(&s, read, notes)
	s.list = func(answer any, now time.Time) ask.List { return list(answer.(T), now) }
	return &s
}

func withText[T any](s *subject, read func(ctx context.Context, s source.Source, now time.Time) (T, error), text func(io.Writer, T, circumstances)) *subject {
	s.read = func(ctx context.Context, from source.Source, now time.Time) (any, error) { return read(ctx, from, now) }
	s.text = func(w io.Writer, answer any, c circumstances) { text(w, answer.(T), c) }
	return s
}

// newFixedText is a text that does not change.
func newFixedText(name string, write func(w io.Writer)) *subject {
	return &subject{name: name, text: func(w io.Writer, _ any, _ circumstances) { write(w) }}
}

// newExplanation is the story of a job, as explain tells it.
func newExplanation(address string) *subject {
	return withText(&subject{name: "explain " + address},
		func(ctx context.Context, s source.Source, _ time.Time) (*api.Job, error) { return s.Job(ctx, address) },
		func(w io.Writer, a *api.Job, c circumstances) { ask.PrintExplanation(w, a, c.isLocal, c.now) })
}

// newJobUse is how a job used what it got, as job shows it.
func newJobUse(address string) *subject {
	return withText(&subject{name: "job " + address},
		func(ctx context.Context, s source.Source, _ time.Time) (*api.JobUse, error) {
			return s.JobUse(ctx, address)
		},
		func(w io.Writer, a *api.JobUse, c circumstances) { ask.PrintJobUse(w, a, c.now) })
}
