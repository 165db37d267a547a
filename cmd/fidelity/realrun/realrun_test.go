package realrun

import (
	"errors"
	"math"
	"os/exec"
	"strings"
	"testing"
	"time"

	"fairbridge/lab/fidelity"
	"fairbridge/replica/workload"
	"fairbridge/scripts/throwaway"
	"fairbridge/scripts/verify/part"
)

// TestSimulatedSlurmIsLikeARealOne is the small version of the command: one real run of a
// minute. One run beside a busy machine says little: what is allowed is what no busy machine
// explains.
func TestSimulatedSlurmIsLikeARealOne(t *testing.T) {
	part.Only(t, "fidelity")
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("no C compiler for the library by which time runs faster")
	}
	s := fidelity.NewTestStream()
	run, err := Make(t.Context(), s, fidelity.ArmAlone, "")
	if errors.Is(err, throwaway.ErrUnavailable) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	all, err := fidelity.Compare([]fidelity.RealRun{*run}, 5)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(run.OneLine())
	for _, r := range all[0].Rows() {
		real, simulated := r.RealMean(), r.SimulatedMean()
		t.Logf("%s: real %.1f, simulated %.1f", r.Name, real, simulated)
		least := map[string]float64{"mean wait (s)": 15, "makespan (s)": 30}[r.Name]
		if least > 0 && math.Abs(simulated-real) > math.Max(least, .15*real) {
			t.Errorf("%s: real %.1f, simulated %.1f", r.Name, real, simulated)
		}
	}
	if _, order := all[0].OrderCorrelations(); order < .7 {
		t.Errorf("the order of first starts correlates by %.2f only", order)
	}
}

func TestOutcomeIsReadFromSacct(t *testing.T) {
	s := fidelity.NewTestStream()
	s.Jobs = s.Jobs[:2]
	s.Jobs[0].Arrive = 1
	runs, err := parseRuns("f1|11|1000|1001|1011|REQUEUED\nf1|11|1011|1040|1050|COMPLETED\nf2|12|1002|1003|1004|COMPLETED\n")
	if err != nil {
		t.Fatal(err)
	}
	r, err := newRun(&s, runs)
	if err != nil {
		t.Fatal(err)
	}
	o := r.JobOutcomes[0]
	if o.Arrive != 1 || o.Start != 2 || o.Finish != 51 || o.StopCount != 1 || o.HeldSeconds != 20 || r.MakespanSeconds != 51 {
		t.Errorf("%+v, makespan %v", o, r.MakespanSeconds)
	}
	if runs, err = parseRuns("f1|11_0|1000|1001|1011|NODE_FAIL\nf1|11_1|1002|1003|1004|COMPLETED\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := newRun(&s, runs); err == nil || !strings.Contains(err.Error(), "NODE_FAIL") {
		t.Errorf("a job that did not complete: %v", err)
	}
	if _, err := parseRuns("batch|1|1|2|3|X\n"); err == nil {
		t.Error("a foreign line was taken")
	}
}

func TestBackfillTimeIsReadFromSdiag(t *testing.T) {
	said := "Main schedule statistics (microseconds):\n\tLast cycle:   5\n\tMean cycle:   7\n\nBackfilling stats\n\tTotal cycles: 3\n\tLast cycle: 99\n\tMean cycle: 1250000\n\tLast depth cycle: 4\n"
	if got := parseBackfillSeconds(said); got != 1.25 {
		t.Errorf("%v s", got)
	}
	if got := parseBackfillSeconds("Backfilling stats\n\tTotal cycles: 0\n"); got != 0 {
		t.Errorf("%v s without a pass", got)
	}
}

func TestScriptSubmitsEveryJob(t *testing.T) {
	for _, s := range fidelity.Streams() {
		text, want, arrays := newSubmitScript(&s), 0, map[int64]bool{}
		for i := range s.Jobs {
			if a := s.Jobs[i].ArrayID; a == 0 {
				want++
			} else {
				arrays[a] = true
			}
		}
		if n := strings.Count(text, "\njob "); n != want+len(arrays) {
			t.Errorf("%s: %d submissions of %d jobs and %d arrays", s.Name, n, want, len(arrays))
		}
		if strings.Contains(text, "%!") || strings.Contains(text, "%%") {
			t.Errorf("%s: a format is wrong:\n%s", s.Name, text)
		}
	}
}

func TestScriptSubmitsAnArrayAsOne(t *testing.T) {
	var b strings.Builder
	s, task := fidelity.Stream{GPUsPerNode: 8, RestartCost: time.Second}, workload.Job{ArrayID: 7, ArrayMaxRunning: 3, Name: "f7", User: "bob", Account: "teaching", GPUs: 2, Duration: 9, TimeLimit: 5 * time.Minute}
	last := task
	last.Duration = 12
	writeSubmission(&b, &s, []workload.Job{task, last})
	if want := "job 0 bob '9 12' f7 -A teaching -t 5 --comment=fairbridge:preemptible,ckpt=1s -N 1 --gres=gpu:2 -a 0-1%3\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}
