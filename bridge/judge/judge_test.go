package judge

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fairbridge/bridge/slurm"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// view shows ten jobs, of which two run on the two nodes.
func view(at time.Time) *slurm.View {
	v := &slurm.View{Cluster: "c", At: at, ControllerStart: noon.Add(-time.Hour)}
	for i := range 10 {
		j := slurm.Job{ID: int64(i + 1), State: "PENDING"}
		if i < 2 {
			j.State, j.Nodes = "RUNNING", slurm.ReadHosts(fmt.Sprint("n", i+1))
			v.Nodes = append(v.Nodes, slurm.Node{Name: j.Nodes.Text, CPUs: 64, CPUsUsed: 8})
		}
		v.Jobs = append(v.Jobs, j)
	}
	return v
}

func input() Input {
	return Input{
		Config: Config{MaxClockSkew: 5 * time.Second, VanishPercent: 20, VanishFloor: 3, ShrinkPercent: 20},
		View:   view(noon), LastGoodView: view(noon.Add(-30 * time.Second)), PolledAt: noon, Now: noon.Add(time.Second), DatabaseTime: noon.Add(time.Second),
		Answers: Answers{AnswerByJob: map[int64]Answer{}, AnswerByNode: map[string]Answer{}},
	}
}

// without leaves the first n jobs that wait out of the view; Slurm says that.
func without(n int, says Answer) func(*Input) {
	return func(in *Input) {
		for i := range n {
			in.Answers.AnswerByJob[in.View.Jobs[2+i].ID] = says
		}
		in.View.Jobs = append(in.View.Jobs[:2:2], in.View.Jobs[2+n:]...)
	}
}

// cut leaves node n2 out of the view, and what runs there.
func cut(says Answer) func(*Input) {
	return func(in *Input) {
		in.View.Nodes = in.View.Nodes[:1]
		in.View.Jobs[1].State = "COMPLETED"
		in.Answers.AnswerByNode["n2"] = says
	}
}

// busy shows ten nodes in use, on so many of which no listed job is, and nothing to compare with.
func busy(empty int) func(*Input) {
	return func(in *Input) {
		v := &slurm.View{At: noon}
		for i := range 10 {
			name := fmt.Sprint("n", i)
			v.Nodes = append(v.Nodes, slurm.Node{Name: name, CPUsUsed: 8})
			if i >= empty {
				v.Jobs = append(v.Jobs, slurm.Job{ID: int64(i + 1), State: "RUNNING", Nodes: slurm.ReadHosts(name)})
			}
		}
		in.View, in.LastGoodView = v, nil
	}
}

func both(a, b func(*Input)) func(*Input) { return func(in *Input) { a(in); b(in) } }

func seen(n int) func(*Input) { return func(in *Input) { in.ManyGonePolls = n } }

func at(d time.Duration) func(*Input) { return func(in *Input) { in.View.At = noon.Add(d) } }

var cases = []struct {
	name  string
	spoil func(*Input)
	doubt string // part of the one doubt; "": believed
}{
	{"the same again", func(*Input) {}, ""},
	{"nothing to compare with", func(in *Input) { in.LastGoodView = nil }, ""},
	{"no time", func(in *Input) { in.View.At = time.Time{} }, "no time"},
	{"never taken", func(in *Input) { in.PolledAt = time.Time{} }, "no time"},
	{"clock ahead", at(6 * time.Second), "slurmctld's clock is 6s from ours"},
	{"clock behind", at(-6 * time.Second), "slurmctld's clock is -6s from ours"},
	{"clock nearly right", at(5 * time.Second), ""},
	{"the database's clock is right, ours is not", func(in *Input) { in.DatabaseTime = noon.Add(-2 * time.Minute) }, "from the database's"},
	{"the database's clock is a little off", func(in *Input) { in.DatabaseTime = noon.Add(50 * time.Second) }, ""},
	{"the database's clock is not known", func(in *Input) { in.DatabaseTime = time.Time{} }, ""},
	{"clock went back", func(in *Input) { in.LastGoodView.At = noon.Add(2 * time.Second) }, "went back 2s"},
	{"the last view was of the future", func(in *Input) { in.LastGoodView.At = noon.Add(time.Hour) }, "still to come"},

	{"a job is left out that is there", without(1, AnswerPresent), "Slurm knows job 3"},
	{"a job is left out, no answer", without(1, ""), "has not said yet what became of them"},
	{"a job is gone", without(1, AnswerGone), ""},
	{"a job ended and is forgotten", both(func(in *Input) { in.LastGoodView.Jobs[2].State = "COMPLETED" }, without(1, "")), ""},
	{"few jobs are gone", without(3, AnswerGone), ""},
	{"many jobs are gone", without(4, AnswerGone), "4 of 10 jobs are gone"},
	{"many jobs are gone, again", both(without(4, AnswerGone), seen(1)), "2 so far"},
	{"many jobs are gone, for the third time", both(without(4, AnswerGone), seen(2)), ""},
	{"many are gone and one is there", both(seen(2), both(without(4, AnswerGone), func(in *Input) { in.Answers.AnswerByJob[3] = AnswerPresent })), "Slurm knows job 3"},
	{"a job of the ledger is there", func(in *Input) { in.Answers.AnswerByJob[77] = AnswerPresent }, "Slurm knows job 77"},
	{"a job of the ledger, no answer", func(in *Input) { in.Answers.AnswerByJob[77] = "" }, ""},

	{"a node is left out that is there", cut(AnswerPresent), "Slurm knows node n2"},
	{"a node is left out, no answer", cut(""), "the list of nodes leaves out node n2"},
	{"half of the nodes are gone", cut(AnswerGone), "1 of 2 nodes are gone"},
	{"half of the nodes are gone, for the third time", both(cut(AnswerGone), seen(2)), ""},
	{"a job runs on a node that is left out", func(in *Input) { in.LastGoodView, in.View.Nodes = nil, in.View.Nodes[:1] }, "leaves out node n2"},
	{"nodes in use and no job there", func(in *Input) { in.LastGoodView, in.View.Jobs = nil, nil }, "nodes n1, n2 are in use"},
	{"a fifth of the nodes in use without a job", busy(2), ""},
	{"more than a fifth of the nodes in use without a job", busy(3), "nodes n0, n1, n2 are in use"},
	{"rights are lost", func(in *Input) { in.HiddenReason = "user fb has level None" }, "level None"},
	{"known to be cut", func(in *Input) { in.View.IncompleteReason = "the list is short" }, "the list is short"},
}

func TestView(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			in := input()
			c.spoil(&in)
			out := JudgeView(in)
			switch got := strings.Join(out.Doubts, "; "); {
			case c.doubt == "" && got != "":
				t.Errorf("doubted: %s", got)
			case !strings.Contains(got, c.doubt):
				t.Errorf("doubts %q, want %q", got, c.doubt)
			}
			if len(out.Cautions) > 0 {
				t.Errorf("cautions %v", out.Cautions)
			}
		})
	}
}

func TestForget(t *testing.T) {
	in := input()
	in.LastGoodView.At = noon.Add(2 * time.Second)
	if JudgeView(in).ForgetLastGood {
		t.Error("a view within the clocks' difference is forgotten")
	}
	in.LastGoodView.At = noon.Add(time.Hour)
	if !JudgeView(in).ForgetLastGood {
		t.Error("a view of the future stays what others are compared with")
	}
}

// TestCautions: such views are believed, but nothing is sent on them.
func TestCautions(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(*Input)
		want  int
	}{
		"restarted":        {func(in *Input) { in.View.ControllerStart = noon }, 1},
		"start not known":  {func(in *Input) { in.View.ControllerStart = time.Time{} }, 0},
		"not known before": {func(in *Input) { in.LastGoodView.ControllerStart = time.Time{} }, 0},
		"state went back":  {func(in *Input) { in.LastGoodView.Jobs[2].Restarts = 1 }, 1},
		"an id used again": {func(in *Input) { in.LastGoodView.Jobs[2].Restarts = 1; in.View.Jobs[2].Submit = noon }, 0},
	} {
		in := input()
		c.spoil(&in)
		if out := JudgeView(in); len(out.Doubts) > 0 || len(out.Cautions) != c.want {
			t.Errorf("%s: doubts %v, cautions %v", name, out.Doubts, out.Cautions)
		}
	}
}
