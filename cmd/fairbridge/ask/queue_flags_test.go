package ask

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/api"
	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/cli"
)

// The flags of squeue, as squeue takes them.
func TestQueueFlagsBecomeAQuery(t *testing.T) {
	f := newFakeSource()
	if _, _, err := f.ask(t, "queue", "-u", "ann,bob", "-A", "phys, chem", "-p", "gpu", "-w", "n[1-3,7]", "-t", "PD,running", "-j", "5_1,47_[1,3-5],9", "--limit", "7"); err != nil {
		t.Fatal(err)
	}
	want := api.QueueQuery{
		Users: []string{"ann", "bob"}, Accounts: []string{"phys", "chem"}, Partitions: []string{"gpu"}, Nodes: []string{"n1", "n2", "n3", "n7"},
		States: []string{"PENDING", "RUNNING"}, Jobs: []string{"5_1", "47_[1,3-5]", "9"}, Limit: 7,
	}
	if d := cmp.Diff([]api.QueueQuery{want}, f.queueQueries); d != "" {
		t.Error(d)
	}
	if !f.isClosed {
		t.Error("the source stays open")
	}
	f = newFakeSource()
	if _, _, err := f.ask(t, "queue", "--me", "-t", "all"); err != nil || len(f.queueQueries) != 1 || cmp.Diff([]string{"ann"}, f.queueQueries[0].Users) != "" || f.queueQueries[0].States != nil {
		t.Errorf("--me asks %+v, %v", f.queueQueries, err)
	}
}

func TestQueueColumnsAndOrder(t *testing.T) {
	for line, want := range map[string]string{
		"--format job,user,gpus,why":                                 "JOB USER GPUS WHY 1 bob 8 because bob 11 ann 2 because ann 111 carol 8 because carol Partition gpu as of",
		"--format user,gpus --sort -gpus,user --noheader":            "bob 8 carol 8 ann 2",
		"--format user --sort gpus,-user --noheader":                 "ann carol bob",
		"--format user --sort -user --noheader --limit 2":            "carol bob",
		"--format user,state,verb --noheader --limit 1 --color auto": "bob RUNNING wait",
		"--format user,middle --estimates --noheader --limit 1":      "bob –",
	} {
		out, _, err := newFakeSource().ask(t, append([]string{"queue"}, strings.Fields(line)...)...)
		if got := strings.Join(strings.Fields(out), " "); err != nil || !strings.HasPrefix(got, want) || strings.Contains(line, "noheader") && got != want {
			t.Errorf("%s: %v\n%s", line, err, out)
		}
	}
	out, _, err := newFakeSource().ask(t, "queue", "--format", "help")
	if err != nil || strings.Count(out, "\n") < len(queueColumns) {
		t.Errorf("--format help: %v\n%s", err, out)
	}
	out, _, err = newFakeSource().ask(t, "queue", "--color", "always")
	if err != nil || !strings.Contains(out, "\x1b[32mRUNNING\x1b[0m") {
		t.Errorf("--color always: %v\n%q", err, out)
	}
}

func TestQueueRefusesNonsense(t *testing.T) {
	for line, want := range map[string]string{
		"--format nonsense": `there is no column "nonsense"`, "--sort -nonsense": `there is no column "nonsense"`, "-w n[1-": "--nodelist n[1-",
		"--watch=0": "want seconds", "--watch=-5": "want seconds", "--watch=99999h": "want seconds", "--watch=NaN": "want seconds", "--watch --json": "takes no --json",
		"--me -u bob": "give one of them", "--color mauve": "it is auto, always or never", "now": "takes no argument", "--watch now": "takes no argument", "--watch 5 6": "takes no argument",
		"--limit 0": "want a whole number from 1",
	} {
		f := newFakeSource()
		out, _, err := f.ask(t, append([]string{"queue"}, strings.Fields(line)...)...)
		if err == nil || !cli.IsUsageError(err) || !strings.Contains(err.Error(), want) || out != "" || len(f.queueQueries) > 0 {
			t.Errorf("%s: %v, asked %d times\n%s", line, err, len(f.queueQueries), out)
		}
	}
}

// All pages are read where nothing bounds them, and sorted as a whole.
func TestQueueReadsAllPages(t *testing.T) {
	f := newFakeSource()
	first, second := f.queue[0], f.queue[0]
	first.Next, first.Total, second.Total = "p2", 6, 6
	f.queue = []api.Queue{first, second}
	out, _, err := f.ask(t, "queue", "--json", "--sort", "user")
	var a api.Queue
	if json.Unmarshal([]byte(out), &a) != nil || err != nil || len(a.Jobs) != 6 || a.Next != "" || a.Jobs[1].User != "ann" || f.queueQueries[1].After != "p2" {
		t.Errorf("%v %+v\n%s", err, f.queueQueries, out)
	}
	f.queueQueries = nil
	if out, _, err = f.ask(t, "queue", "--limit", "3"); err != nil || len(f.queueQueries) != 1 || !strings.Contains(out, "3 jobs more, without --limit.") {
		t.Errorf("%v %+v\n%s", err, f.queueQueries, out)
	}
}

func TestQueueSaysWhatItDoesNotShow(t *testing.T) {
	now := time.Now()
	for want, a := range map[string]api.Queue{
		"No cycle is stored yet: the daemon answers, but none leads.": {Partitions: []api.PartitionState{{Name: "gpu", Stale: true}}},
		"saw no GPU jobs.":                            {Partitions: []api.PartitionState{{Name: "gpu", AsOf: now}}},
		"saw no GPU jobs. No cycle since":             {Partitions: []api.PartitionState{{Name: "gpu", AsOf: now.Add(-time.Hour), Stale: true}}},
		"3 jobs of others not shown":                  {Partitions: []api.PartitionState{{Name: "gpu", AsOf: now}}, Hidden: 3},
		"No job in the queue is one that":             {Partitions: []api.PartitionState{{Name: "gpu", AsOf: now}}, Hidden: 1},
		"from the daemon's memory: the disk is full":  {Partitions: []api.PartitionState{{Name: "gpu", AsOf: now}}, Daemon: api.DaemonState{RecordError: "the disk is full"}},
		"Nothing of it was sent to Slurm: STOP there": {Partitions: []api.PartitionState{{Name: "gpu", AsOf: now, NotPushed: []string{"STOP there"}}}},
	} {
		out, _, err := (&fakeSource{queue: []api.Queue{a}}).ask(t, "queue")
		if err != nil || !strings.Contains(out, want) {
			t.Errorf("%v\n%s\nlacks %q", err, out, want)
		}
	}
}

// Where there is no terminal each time is a block under its time; an interruption is no error, nor
// is a daemon that is away for a while.
func TestWatchPrintsBlocks(t *testing.T) {
	f := newFakeSource()
	flags := &queueFlags{interval: time.Millisecond}
	flags.columns, _ = findColumns("", []string{"user"})
	ctx, cancel := context.WithCancel(t.Context())
	w := &cutWriter{cancel: cancel, after: 20, source: f}
	if err := watchQueue(ctx, printable.NewWriter(w), f, flags, api.QueueQuery{}, false); err != nil {
		t.Fatal(err)
	}
	if text := w.text.String(); strings.Count(text, "every 1ms\n") < 2 || !strings.Contains(text, "Not answered now: it is away") || strings.Contains(text, "\x1b") {
		t.Errorf("it prints\n%s", text)
	}
	if err := watchQueue(t.Context(), w, f, flags, api.QueueQuery{}, false); err == nil {
		t.Error("a daemon that is away at first is no error")
	}
}

// cutWriter ends the daemon's answers at the third line, and what writes to it after so many.
type cutWriter struct {
	text   strings.Builder
	lines  int
	after  int
	cancel func()
	source *fakeSource
}

func (w *cutWriter) Write(p []byte) (int, error) {
	w.lines += strings.Count(string(p), "\n")
	if w.lines > 3 {
		w.source.err = &api.Error{Code: api.CodeUnavailable, Message: "it is away"}
	}
	if w.lines > w.after {
		w.cancel()
	}
	return w.text.Write(p)
}
