package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/rest"
	"fairbridge/bridge/slurm/safefile"
	"fairbridge/policy"
)

// only returns the one finding of a report.
func only(t *testing.T, r Report) Finding {
	t.Helper()
	if len(r) != 1 {
		t.Fatalf("want one finding, got %+v", r)
	}
	return r[0]
}

func TestClock(t *testing.T) {
	noon := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	for skew, want := range map[time.Duration]Level{
		0: LevelOK, 4 * time.Second: LevelOK, -4 * time.Second: LevelOK, 6 * time.Second: LevelFail, -time.Hour: LevelFail,
	} {
		var r Report
		r.checkClock(&slurm.View{At: noon, ReadAt: noon.Add(skew)})
		if f := only(t, r); f.Level != want || f.Level == LevelFail && f.Fix == "" {
			t.Errorf("%v: %+v, want %s", skew, f, want)
		}
	}
}

// TestClockClaimsNoMoreThanIsKnown: Slurm tells whole seconds, so that a difference below two
// is none to speak of.
func TestClockClaimsNoMoreThanIsKnown(t *testing.T) {
	noon := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	for skew, want := range map[time.Duration]string{
		900 * time.Millisecond: "our clock and Slurm's agree to within 2s",
		3 * time.Second:        "our clock and Slurm's differ by 3s; up to 5s does no harm",
	} {
		var r Report
		r.checkClock(&slurm.View{At: noon, ReadAt: noon.Add(skew)})
		if f := only(t, r); f.Text != want {
			t.Errorf("%v: %q, want %q", skew, f.Text, want)
		}
	}
}

// TestLevels: telling jobs why they wait needs more than all else, and is said plainly where it cannot work.
func TestLevels(t *testing.T) {
	for _, c := range []struct {
		level string
		tells bool
		want  Level
		fix   string
	}{
		{"Operator", false, LevelOK, ""},
		{"Administrator", false, LevelWarn, "adminlevel=Operator"},
		{"Administrator", true, LevelOK, ""},
		{"Operator", true, LevelFail, "adminlevel=Administrator"},
		{"None", true, LevelFail, "adminlevel=Operator"},
	} {
		if f := checkLevel("fairbridge", c.level, c.tells); f.Level != c.want || !strings.Contains(f.Fix, c.fix) {
			t.Errorf("%s, telling %v: %+v, want %s by %q", c.level, c.tells, f, c.want, c.fix)
		}
	}
}

func TestPartitions(t *testing.T) {
	v := &slurm.View{
		Partitions: []slurm.Partition{{Name: "cpu"}, {Name: "gpu"}},
		Nodes: []slurm.Node{
			{Name: "c1", Partitions: []string{"cpu"}},
			{Name: "g1", Partitions: []string{"gpu"}, Gres: slurm.ReadGRES("gpu:a100:8(S:0-1)")},
			{Name: "g2", Partitions: []string{"gpu"}, Gres: slurm.ReadGRES("gpu:h100:4,gpu:a100:2")},
		},
	}
	for name, want := range map[string]struct {
		level Level
		text  string
	}{
		"gpu": {LevelOK, "gpu: 14 GPUs on 2 nodes"}, "cpu": {LevelFail, "partition cpu has no GPUs"}, "gpus": {LevelFail, "partition gpus does not exist"},
	} {
		var r Report
		r.checkPartitions(v, []string{name})
		if f := only(t, r); f.Level != want.level || f.Text != want.text {
			t.Errorf("%s: %+v, want %+v", name, f, want)
		}
	}
}

// TestAnExclusivePartition: one job asks for a GPU of eight, one for all eight, one waits and one is elsewhere.
func TestAnExclusivePartition(t *testing.T) {
	job := func(state, partition, node string, gpus int64) slurm.Job {
		return slurm.Job{State: state, Partitions: []string{partition}, Nodes: slurm.ReadHosts(node), NodeCount: 1,
			RequestedTRES: slurm.ReadTRES(fmt.Sprintf("cpu=1,node=1,gres/gpu=%d", gpus))}
	}
	v := &slurm.View{
		Partitions: []slurm.Partition{{Name: "gpu", Exclusive: "YES"}, {Name: "mine", Exclusive: "USER"}},
		Nodes: []slurm.Node{
			{Name: "g1", Partitions: []string{"gpu"}, Gres: slurm.ReadGRES("gpu:8")},
			{Name: "g2", Partitions: []string{"gpu", "mine"}, Gres: slurm.ReadGRES("gpu:8")},
		},
		Jobs: []slurm.Job{
			job("RUNNING", "gpu", "g1", 1), job("RUNNING", "gpu", "g2", 8), job("PENDING", "gpu", "", 4),
			job("RUNNING", "mine", "g2", 2),
		},
	}
	var r Report
	r.checkPartitions(v, []string{"gpu", "mine"})
	const want = "asked for 9 of the 16 GPUs of the nodes they hold: 44 % are left idle"
	if len(r) != 3 || r[1].Level != LevelWarn || !strings.Contains(r[1].Text, want) {
		t.Errorf("%+v", r)
	}
	v.Jobs = nil
	r = nil
	if r.checkPartitions(v, []string{"gpu"}); len(r) != 2 || !strings.Contains(r[1].Text, "no job runs in it now") {
		t.Errorf("with no jobs: %+v", r)
	}
}

// answers are probes that answer like that.
type answers struct {
	nodes map[string][]policy.NodeDevices
	err   error
}

func (a answers) Sample(context.Context, *slurm.View) (map[string][]policy.NodeDevices, error) {
	return a.nodes, a.err
}

func TestProbes(t *testing.T) {
	some := map[string][]policy.NodeDevices{"g1": nil, "g2": nil}
	for _, tt := range []struct {
		name, url string
		probes    answers
		want      []Level
	}{
		{"none configured", "", answers{}, []Level{LevelSkip}},
		{"all answer", "http://{node}:9810", answers{nodes: some}, []Level{LevelOK}},
		{"some answer", "http://{node}:9810", answers{some, errors.New("g3: refused")}, []Level{LevelWarn, LevelOK}},
		{"none answers", "http://{node}:9810", answers{nil, errors.New("g1: refused")}, []Level{LevelWarn}},
	} {
		var r Report
		r.checkProbes(t.Context(), tt.url, &slurm.View{}, tt.probes)
		if len(r) != len(tt.want) {
			t.Errorf("%s: %+v", tt.name, r)
			continue
		}
		for i, f := range r {
			if f.Level != tt.want[i] || f.Level == LevelWarn && !strings.Contains(f.Text, "refused") {
				t.Errorf("%s: %+v, want %s", tt.name, f, tt.want[i])
			}
		}
	}
}

// TestEveryFailureHasAFix goes through the ways a call to Slurm can end.
func TestEveryFailureHasAFix(t *testing.T) {
	for _, c := range []slurm.ErrorClass{
		slurm.ErrorForbidden, slurm.ErrorBadToken, slurm.ErrorVersionNotServed, slurm.ErrorBusy, slurm.ErrorUnreachable, slurm.ErrorGarbledReply, slurm.ErrorBadRequest, slurm.ErrorOutcomeUnknown,
	} {
		if fixForError(&slurm.Error{Class: c}) == "" {
			t.Errorf("no fix for %q", c)
		}
	}
	open := &slurm.Error{Class: slurm.ErrorBadToken, Err: &safefile.Error{Problem: "token is open to everybody", FixCommand: "chmod o-rwx token"}}
	if f := fixForError(open); f != "chmod o-rwx token" {
		t.Errorf("a token file that is too open: %q", f)
	}
	for cause, want := range map[error]string{fs.ErrPermission: "usermod -aG", fs.ErrNotExist: "start slurmrestd"} {
		at := &slurm.Error{Class: slurm.ErrorUnreachable, Err: &net.OpError{Op: "dial", Net: "unix", Err: cause}}
		if f := fixForError(at); !strings.Contains(f, want) {
			t.Errorf("a socket, %v: %q", cause, f)
		}
	}
	if f := fixForError(errors.New("slurm.url: it is none")); f == "" {
		t.Error("no fix for what went wrong before a call")
	}
}

// TestTokenMistakes: each comes with the fix for just it.
func TestTokenMistakes(t *testing.T) {
	place := func(text string, mode os.FileMode) string {
		path := filepath.Join(t.TempDir(), "token")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	open := place("x", 0o644)
	for name, tt := range map[string]struct{ path, problem, fix string }{
		"missing":          {filepath.Join(t.TempDir(), "token"), "no such file", "correct slurm.token_file"},
		"open to everyone": {open, "is open to everybody", "chmod o-rwx " + open},
		"empty":            {place("", 0o600), "is empty", "mint a new token"},
		"cut off":          {place("eyJhbGciOi", 0o600), "is not a JWT", "mint a new token"},
		"another's":        {place("x", 0o000), "permission denied", "chown fairbridge:"},
	} {
		if name == "another's" && os.Geteuid() == 0 {
			continue // root may read it
		}
		var r Report
		r.checkSlurm(t.Context(), func(ctx context.Context) (*rest.Client, error) {
			return rest.Open(ctx, rest.Config{URL: "http://localhost:1", TokenFile: tt.path}, rest.PollConfig{})
		}, "lab", false, time.Now)
		if f := only(t, r); f.Level != LevelFail || !strings.Contains(f.Text, tt.problem) || !strings.HasPrefix(f.Fix, tt.fix) {
			t.Errorf("%s: %+v, want %q and the fix %q", name, f, tt.problem, tt.fix)
		}
	}
}
