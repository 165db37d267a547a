package ask

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fairbridge/api"
	"fairbridge/api/names"
	"fairbridge/bridge/printable"
	"fairbridge/bridge/slurm"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
	"fairbridge/cmd/internal/source"
)

const queueHelp = `Print the jobs of the last cycle of each partition by rank, those that run too, with
what was decided and why, and below it of when that is. Nothing is asked of Slurm:
fairbridge plan decides afresh. Jobs of others that your site keeps private are counted.

VERB is what was decided: start, keep (runs on), wait, hold (has room, but is kept
from passing) or stop (is requeued). AGE counts from submission. GPUS of an array that
waits are those of all its tasks: 12 (3x4) are three tasks of four.

With --estimates it shows instead when jobs that never ran are thought to start, in time
from now, as of the last stored estimate: one in ten such jobs before EARLY, half before
MIDDLE, one in ten after LATE. ESTIMATED is how long ago that was.

Lists are as squeue takes them: comma lists, of nodes also n[1-3,7], of states also PD.
--watch prints again and again, on a terminal each time over the one before, until Ctrl-C.

`

// queueFlags are the flags of queue.
type queueFlags struct {
	partitions, users, accounts, nodes, states, jobs string
	format, sort, color, watch                       string
	isMine, hasEstimates, hasNoHeader                bool
	limit                                            int

	columns  []queueColumn
	interval time.Duration // of --watch; 0: once

	readsRecord bool // what is printed was read from the record, and no daemon asked
}

func newQueueCommand(o *cli.Options, open opener) *cobra.Command {
	f := &queueFlags{}
	c := &cobra.Command{
		Use:   "queue",
		Short: "The ranked queue as of the last cycle, with reasons",
		Long:  queueHelp + source.Rule,
		Example: `  fairbridge queue --me
  fairbridge queue -A physics -t PD --sort -gpus,user
  fairbridge queue -w n[1-3,7] --format job,user,gpus,why
  fairbridge queue --me --watch 10
  fairbridge queue --estimates
  fairbridge queue --partition gpu --json`,
		Args: f.checkArgs,
		RunE: func(c *cobra.Command, _ []string) error { return answerQueue(c, o, open, f) },
	}
	f.addTo(c)
	_ = c.RegisterFlagCompletionFunc("partition", completePartitions(o, open)) // fails only for a flag that is not there
	return c
}

func (f *queueFlags) addTo(c *cobra.Command) {
	s := c.Flags()
	s.BoolVar(&f.isMine, "me", false, "only your jobs")
	s.StringVarP(&f.users, "user", "u", "", "only jobs of these users")
	s.StringVarP(&f.accounts, "account", "A", "", "only jobs of these accounts")
	s.StringVarP(&f.partitions, "partition", "p", "", "only these partitions")
	s.StringVarP(&f.nodes, "nodelist", "w", "", "only jobs that hold GPUs on these nodes")
	s.StringVarP(&f.states, "states", "t", "", "only jobs in these states: PD, R, pending, …")
	s.StringVarP(&f.jobs, "jobs", "j", "", "only these jobs: 4711, 47_3, or 47 for all of an array")
	s.BoolVar(&f.hasEstimates, "estimates", false, "show when jobs are thought to start")
	s.StringVarP(&f.format, "format", "o", "", "columns, as a comma list; help lists them")
	s.StringVar(&f.sort, "sort", "", "sort by these columns; -COLUMN the other way round")
	s.BoolVar(&f.hasNoHeader, "noheader", false, "print no header, and nothing below the jobs")
	s.StringVar(&f.color, "color", "auto", "colours: auto (on a terminal), always or never")
	s.StringVar(&f.watch, "watch", "", "print again every so many seconds, 5 unless said; or like 1m")
	s.Lookup("watch").NoOptDefVal = "5"
	s.IntVar(&f.limit, "limit", 0, "print so many jobs at most (default all)")
	cli.SetRange(c, "limit", "1", fmt.Sprint(api.MaxLimit))
}

// checkArgs takes no argument, but the seconds of --watch where a blank stands before them.
func (f *queueFlags) checkArgs(c *cobra.Command, args []string) error {
	if len(args) == 1 && c.Flags().Changed("watch") && f.watch == "5" {
		if _, err := ParseInterval("--watch", args[0]); err == nil {
			f.watch = args[0]
			return nil
		}
	}
	return cli.CheckArgs(cobra.NoArgs)(c, args)
}

// ParseInterval reads what a flag says of how often something is asked: seconds as squeue takes them, or a duration.
func ParseInterval(flag, text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil {
		d, err = time.ParseDuration(text + "s")
	}
	if err != nil || d < time.Second || d > 24*time.Hour {
		return 0, fmt.Errorf("%s %s: want seconds, 1 to 86400, or a duration like 30s or 2m", flag, printable.Truncate(text, 40))
	}
	return d, nil
}

// query reads the flags. All that makes no sense in them is said before anything is asked.
func (f *queueFlags) query(o *cli.Options) (q api.QueueQuery, err error) {
	shown := reasonColumns
	if f.hasEstimates {
		shown = estimateColumns
	}
	if f.format != "" {
		shown = splitList(f.format)
	}
	if f.columns, err = findColumns("--format", shown); err != nil {
		return q, err
	}
	if err := sortJobs(nil, splitList(f.sort)); err != nil {
		return q, err
	}
	if f.watch != "" {
		if f.interval, err = ParseInterval("--watch", f.watch); err != nil {
			return q, err
		}
		if o.JSON {
			return q, errors.New("--watch prints tables: it takes no --json")
		}
	}
	if f.isMine && f.users != "" {
		return q, errors.New("--me is --user with your own name: give one of them")
	}
	q = api.QueueQuery{
		Partitions: splitList(f.partitions), Users: splitList(f.users), Accounts: splitList(f.accounts), States: splitStates(f.states), Jobs: splitJobs(f.jobs),
		Limit: pageLimit, Estimates: o.JSON || f.needsEstimates(),
	}
	if err := names.Check("--states", q.States, names.JobStates); err != nil {
		return q, err
	}
	if err := checkAddresses(q.Jobs); err != nil {
		return q, err
	}
	if f.limit > 0 && f.sort == "" {
		q.Limit = min(f.limit, pageLimit)
	}
	q.Nodes, err = splitNodes(f.nodes)
	return q, err
}

// needsEstimates reports whether a column shows an estimate, or jobs are sorted by one.
func (f *queueFlags) needsEstimates() bool {
	for _, name := range strings.Fields("early middle late estimated") {
		if strings.Contains(f.format+","+f.sort, name) {
			return true
		}
	}
	return f.hasEstimates
}

// narrows reports whether the query leaves jobs out.
func narrows(q *api.QueueQuery) bool {
	return len(q.Users)+len(q.Accounts)+len(q.States)+len(q.Jobs)+len(q.Nodes) > 0
}

func answerQueue(c *cobra.Command, o *cli.Options, open opener, f *queueFlags) error {
	if f.format == "help" {
		printQueueColumns(c.OutOrStdout())
		return nil
	}
	q, err := f.query(o)
	if err != nil {
		return cli.NewUsageError(err)
	}
	hasColours, err := output.WantsColours(c.OutOrStdout(), f.color)
	if err != nil {
		return cli.NewUsageError(err)
	}
	return withSource(c, o, open, func(ctx context.Context, s source.Source) error {
		f.readsRecord = source.ReadsRecord(s)
		if f.isMine {
			me, err := s.Me(ctx)
			if err != nil {
				return err
			}
			q.Users = []string{me.User}
		}
		if f.interval > 0 {
			return watchQueue(ctx, c.OutOrStdout(), s, f, q, hasColours)
		}
		a, err := readQueue(ctx, s, q, f)
		if err != nil {
			return err
		}
		if o.JSON {
			return output.WriteJSON(c.OutOrStdout(), a)
		}
		printQueue(c.OutOrStdout(), a, &q, f, hasColours, time.Now())
		return nil
	})
}

// readQueue reads all pages, sorts the jobs and bounds them.
func readQueue(ctx context.Context, s source.ListReader, q api.QueueQuery, f *queueFlags) (*api.Queue, error) {
	all, err := s.Queue(ctx, q)
	if err != nil {
		return nil, err
	}
	for all.Next != "" && (f.limit == 0 || len(all.Jobs) < f.limit || f.sort != "") {
		q.After = all.Next
		more, err := s.Queue(ctx, q)
		if err != nil {
			return nil, err
		}
		all.Jobs, all.Next = append(all.Jobs, more.Jobs...), more.Next
	}
	if err := sortJobs(all.Jobs, splitList(f.sort)); err != nil {
		return nil, err
	}
	if f.limit > 0 && len(all.Jobs) > f.limit {
		all.Jobs = all.Jobs[:f.limit]
	}
	return all, nil
}

func printQueueColumns(w io.Writer) {
	t := output.NewTable(w, "COLUMN", "WHAT IT SHOWS")
	for _, c := range queueColumns {
		t.AddRow(c.name, c.about)
	}
	t.Print()
	printable.Fprintf(w, "\nWithout --format: %s\n", strings.Join(reasonColumns, ","))
}

// splitList reads a comma list as squeue takes it; blanks and empty parts are left out.
func splitList(text string) (list []string) {
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, part)
		}
	}
	return list
}

// splitJobs reads a comma list of jobs, whose tasks may have commas of their own: 47_[1,3],50.
func splitJobs(text string) (list []string) {
	depth, from := 0, 0
	for i, r := range text + "," {
		switch {
		case r == '[':
			depth++
		case r == ']':
			depth--
		case r == ',' && (depth <= 0 || i == len(text)):
			if part := strings.TrimSpace(text[from:i]); part != "" {
				list = append(list, part)
			}
			from = i + 1
		}
	}
	return list
}

// splitNodes reads a hostlist such as n[1-3,7].
func splitNodes(text string) ([]string, error) {
	names, err := slurm.ExpandHosts(text)
	if err != nil {
		return nil, fmt.Errorf("--nodelist %s: %w", printable.Truncate(text, 60), err)
	}
	return names, nil
}

// slurmStates are squeue's short names of states.
var slurmStates = map[string]string{
	"PD": "PENDING", "R": "RUNNING", "S": "SUSPENDED", "CG": "COMPLETING", "CF": "CONFIGURING", "RQ": "REQUEUED", "SO": "STAGE_OUT", "ST": "STOPPED",
}

// splitStates reads a comma list of states as squeue takes them: PD or pending. "all" is all.
func splitStates(text string) (list []string) {
	for _, name := range splitList(text) {
		name = strings.ToUpper(name)
		if name == "ALL" {
			return nil
		}
		if long := slurmStates[name]; long != "" {
			name = long
		}
		list = append(list, name)
	}
	return list
}
