package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"fairbridge/accounting/pglocal/pgtest"
	"fairbridge/scripts/throwaway/livetest"
)

// recordVariable opts in to the test of the record, which takes minutes: it
// says how many short GPU jobs are run.
const recordVariable = "FAIRBRIDGE_RECORD_JOBS"

// TestRecordEqualsSacct runs many short GPU jobs with everything that can
// happen to them on a Slurm with slurmdbd and MinJobAge=5, while fairbridge
// watches and is away for a part of it. After an import the record equals
// sacct -D to the second and GPU, and importing again changes nothing.
func TestRecordEqualsSacct(t *testing.T) {
	jobs, err := strconv.Atoi(os.Getenv(recordVariable))
	if err != nil || jobs < 1 {
		t.Skipf("%s does not say how many jobs to run", recordVariable)
	}
	for _, release := range releases {
		t.Run(release, func(t *testing.T) {
			s := &site{t: t, slurm: livetest.ClusterInLab(t, release), dsn: pgtest.NewDatabase(t), dir: t.TempDir()}
			s.url = s.slurm.URL
			s.clear()
			t.Cleanup(func() {
				s.kill(syscall.SIGKILL)
				s.clear()
			})
			s.record(jobs)
		})
	}
}

func (s *site) record(jobs int) {
	began := time.Now().Add(-time.Second)
	s.configure("observe", "fifo", "")
	s.start()
	const perRound = 200
	rounds := (jobs + perRound - 1) / perRound
	for i := range rounds {
		switch i {
		case rounds / 3:
			s.kill(syscall.SIGKILL) // our outage
		case 2*rounds/3 + 1:
			s.start()
		}
		s.t.Logf("round %d of %d: %s", i+1, rounds, s.run("root", "bash", "-c", strings.ReplaceAll(mischief, "TASKS", fmt.Sprint(perRound-16))))
		s.until("most of the queue is done", 5*time.Minute, func() bool { return len(strings.Fields(s.run("root", "squeue", "-rh", "-o", "%i"))) < 40 })
	}
	s.until("the queue is empty", 10*time.Minute, func() bool { return s.run("root", "squeue", "-h") == "" })
	time.Sleep(5 * time.Second) // slurmdbd hears of it
	s.kill(syscall.SIGTERM)

	rows := s.sacct(began)
	covered(s.t, rows)
	want := chains(rows)
	s.t.Logf("%d rows of sacct, %d runs that held GPUs; before the import %s", len(rows), len(want), distance(want, s.recorded(began)))

	since := began.UTC().Format(time.RFC3339)
	first := s.imported("--since", since)
	if diff := cmp.Diff(want, s.recorded(began)); diff != "" {
		s.t.Errorf("the record differs from sacct -D (-sacct +record):\n%s", diff)
	}
	s.t.Logf("import: %+v", first)
	was := s.standing()
	for i := range 10 {
		window := fmt.Sprintf("--window=%ds", 20+37*i)
		if again := s.imported("--since", since, "--again", window); again.Changed != 0 {
			s.t.Errorf("importing again changed %+v", again)
		}
	}
	if diff := cmp.Diff(was, s.standing()); diff != "" {
		s.t.Errorf("importing ten times changed rows:\n%s", diff)
	}
	s.byFile(began, want)
}

// byFile imports what sacct prints into an empty database.
func (s *site) byFile(began time.Time, want []string) {
	s.dsn = pgtest.NewDatabase(s.t)
	s.configure("observe", "fifo", "")
	text := s.run("root", "env", "SLURM_TIME_FORMAT=%s", "sacct", "-aDXP", "-S", began.UTC().Format("2006-01-02T15:04:05"), "-o",
		"JobIDRaw,JobID,Cluster,State,Submit,Eligible,Start,End,Suspended,TimelimitRaw,User,Account,QOS,Partition,Reason,NodeList,AllocTRES,ReqTRES,JobName")
	file := s.file("sacct.txt", text)
	for i := range 2 {
		got := s.imported("--sacct", file)
		if diff := cmp.Diff(want, s.recorded(began)); diff != "" || i > 0 && got.Changed != 0 {
			s.t.Errorf("by file: %+v; the record differs from sacct -D (-sacct +record):\n%s", got, diff)
		}
	}
}

// mischief submits jobs and does to them what can be done. It prints their ids.
const mischief = `
user() { setpriv --reuid alice --regid alice --clear-groups "$@"; }
sub() { user sbatch --parsable -p gpu -o /dev/null --mem-per-gpu=10 "$@"; }
R="$(sub --gres=gpu:2 --wrap 'sleep 7') $(sub --gres=gpu:a100:1 --wrap 'sleep 9') $(sub --gres=gpu:1 --wrap 'sleep 5')"
U="$(sub --gres=gpu:3 --wrap 'sleep 9')"; V="$(sub --gres=gpu:1 --wrap 'sleep 8')"
Z=$(sub -N2 -n2 --gres=gpu:2 --wrap 'sleep 12')
C="$(sub --gres=gpu:1 --wrap 'sleep 60') $(sub --gres=gpu:4 --wrap 'sleep 60')"
P=$(sub --gres=gpu:1 --begin=now+1hour --wrap 'sleep 1')
N=$(sub --gres=gpu:1 -w n4 --wrap 'sleep 20')
sub --gres=gpu:1 --wrap 'exit 3' >/dev/null
user sbatch --parsable -p gpu -o /dev/null --mem-per-gpu=10 --gres=gpu:1 : -p gpu --mem-per-gpu=10 --gres=gpu:2 --wrap 'sleep 3' >/dev/null
A=$(sub --gres=gpu:1 --array=0-$((TASKS-1)) --wrap 'sleep $((SLURM_ARRAY_TASK_ID % 4))')
echo requeue $R suspend $U $V resize $Z cancel $C $P fail $N array $A
sleep 5
{
for j in $R; do scontrol requeue $j; done
scontrol suspend $U; scontrol suspend $V
user scontrol update JobId=$Z NumNodes=1
scancel $C $P
sleep 2
scontrol resume $U; scontrol resume $V
scontrol requeue ${A}_$((TASKS-1))
sleep 2
scontrol suspend $V
sleep 1
scontrol resume $V
scontrol update nodename=n4 state=down reason=test; sleep 1; scontrol update nodename=n4 state=resume
scancel ${A}_$((TASKS-2))
} >/dev/null 2>&1
exit 0`

// acct is a row of sacct -D that held GPUs.
type acct struct {
	job                     string
	start, end, gpus, spent int64
	state                   string
	slept                   bool
}

// sacct reads the authority's word in a way of its own.
func (s *site) sacct(began time.Time) []acct {
	s.t.Helper()
	out := s.run("root", "env", "SLURM_TIME_FORMAT=%s", "sacct", "-aDXPn", "-S", began.UTC().Format("2006-01-02T15:04:05"), "-o",
		"JobIDRaw,State,Submit,Start,End,ElapsedRaw,Suspended,AllocTRES,NodeList")
	var rows []acct
	for line := range strings.Lines(out) {
		f := strings.Split(strings.TrimSpace(line), "|")
		a := acct{job: f[0], state: strings.Fields(f[1])[0], start: number(f[3]), end: number(f[4]), slept: f[6] != "00:00:00"}
		if a.state == "PENDING" && a.end > 0 {
			a.state = "REQUEUED" // the launch failed: the job goes on in another row
		}
		for item := range strings.SplitSeq(f[7], ",") {
			if n, ok := strings.CutPrefix(item, "gres/gpu="); ok {
				a.gpus = number(n)
			}
		}
		a.spent = a.gpus * number(f[5])
		if submit := number(f[2]); a.start > 0 && a.start < submit { // a release that repeats the start in the rows of a resized job
			a.spent -= a.gpus * (submit - a.start)
			a.start = submit
		}
		rows = append(rows, a)
	}
	return rows
}

func number(s string) int64 {
	n, _ := strconv.ParseInt(s, 10, 64)
	return n
}

// covered wants everything to have happened.
func covered(t *testing.T, rows []acct) {
	t.Helper()
	seen := map[string]int{}
	for _, r := range rows {
		seen[r.state]++
		if r.slept {
			seen["suspended"]++
		}
	}
	t.Logf("happened: %v", seen)
	for _, what := range []string{"COMPLETED", "FAILED", "CANCELLED", "REQUEUED", "NODE_FAIL", "RESIZING", "suspended"} {
		if seen[what] == 0 {
			t.Errorf("no job was %s: the test tests too little", what)
		}
	}
}

// chains returns, sorted, the runs that held GPUs: rows that follow a change
// of size are one run.
func chains(rows []acct) []string {
	slices.SortStableFunc(rows, func(a, b acct) int {
		if a.job != b.job {
			return strings.Compare(a.job, b.job)
		}
		return int(a.start - b.start)
	})
	var out []string
	var run acct
	for i, r := range rows {
		if run.job == r.job && run.state == "RESIZING" && run.end == r.start {
			run.end, run.state, run.spent = r.end, r.state, run.spent+r.spent
		} else {
			run = r
		}
		goesOn := i+1 < len(rows) && run.state == "RESIZING" && rows[i+1].job == run.job && rows[i+1].start == run.end
		if !goesOn && run.gpus > 0 && run.start > 0 {
			out = append(out, fmt.Sprintf("%s: %s, %d to %d, %d GPU-seconds", run.job, run.state, run.start, run.end, run.spent))
		}
	}
	slices.Sort(out)
	return out
}

// recorded returns the same from our record.
func (s *site) recorded(began time.Time) []string {
	return s.texts(`select format('%s: %s, %s to %s, %s GPU-seconds', job, state, extract(epoch from started)::bigint, extract(epoch from ended)::bigint,
		(select coalesce(sum(g.gpus * extract(epoch from g.stopped - g.started)), 0)::bigint from fairbridge.run_segments g
		  where (g.job, g.submit, g.restarts) = (r.job, r.submit, r.restarts)))
		from fairbridge.job_runs r where started is not null and ended >= $1`, began)
}

// standing returns every row of the record with the transaction that wrote it.
func (s *site) standing() []string {
	return s.texts(`select r.xmin || ' ' || r::text from fairbridge.job_runs r union all select g.xmin || ' ' || g::text from fairbridge.run_segments g`)
}

func (s *site) texts(query string, args ...any) []string {
	s.t.Helper()
	conn, err := pgx.Connect(context.WithoutCancel(s.t.Context()), s.dsn)
	if err != nil {
		s.t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(s.t.Context()))
	rows, err := conn.Query(context.WithoutCancel(s.t.Context()), query, args...)
	if err != nil {
		s.t.Fatal(err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		s.t.Fatal(err)
	}
	slices.Sort(out)
	return out
}

// distance says how many of the wanted lines are there.
func distance(want, got []string) string {
	n := 0
	for _, w := range want {
		if slices.Contains(got, w) {
			n++
		}
	}
	return fmt.Sprintf("%d of them stood right, %d stood", n, len(got))
}

// imported is what import says it did.
type imported struct{ Rows, Runs, Changed, New, Replaced, Windows int }

func (s *site) imported(args ...string) imported {
	s.t.Helper()
	var out imported
	text := s.fairbridge(append([]string{"import", "--json"}, args...)...)
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		s.t.Fatalf("%v: %s", err, text)
	}
	return out
}
