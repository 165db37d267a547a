package quickstart

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"fairbridge/accounting/pglocal"
	"fairbridge/e2e/readertest"
	"fairbridge/scripts/throwaway"
)

// TestQuickStart types what the page says, from an empty host to one without fairbridge
// again, and asks every command that reads for figures in between.
func TestQuickStart(t *testing.T) {
	h := newHost(t)
	sections := readPage(t)
	after := map[string]func(){
		"6. Doctor":         h.mistakes,
		"7. Observe":        h.live,
		"8. Rank":           h.rank,
		"Choosing a policy": h.read,
		"The STOP file":     func() { h.root("rm /etc/fairbridge/STOP") },
		"Uninstall":         h.isClean,
	}
	for _, s := range sections {
		for _, b := range s.blocks {
			h.follow(s, b)
		}
		if then := after[s.heading]; then != nil {
			delete(after, s.heading)
			then()
		}
		if t.Failed() {
			t.Fatalf("in section %q; the daemon said:\n%s", s.heading, h.try("journalctl -u fairbridge"))
		}
	}
	for heading := range after {
		t.Errorf("the page has no section %q any more", heading)
	}
}

// host is where the page is followed: the inside of a throw-away Slurm.
type host struct {
	t      *testing.T
	slurm  *throwaway.Cluster
	filled *strings.Replacer // what the reader of the page puts in its place
	jobs   []string          // as a user names them
}

func newHost(t *testing.T) *host {
	t.Helper()
	if testing.Short() {
		t.Skip("needs a real Slurm; not with -short")
	}
	bin, err := pglocal.FindServerPrograms()
	if errors.Is(err, pglocal.ErrNoPostgres) {
		t.Skip(err)
	}
	c, err := throwaway.StartSlurm(t.Context(), "", throwaway.Options{NodeCount: 2, GPUsPerNode: 4})
	if errors.Is(err, throwaway.ErrUnavailable) && os.Getenv("FAIRBRIDGE_REQUIRE_SLURM") != "1" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Stop() })
	h := &host{t: t, slurm: c}
	restd, metrics := freePort(t), freePort(t)
	today := time.Now().UTC().Add(-24 * time.Hour)
	h.filled = strings.NewReplacer(
		"/usr/bin/", "/usr/local/bin/", "/tmp/", "/run/tmp/", // the machine's own stay as they are
		"127.0.0.1:6822", "127.0.0.1:"+restd, "cluster: mycluster\n", "cluster: lab\ninterval: 2s\nlisten: localhost:"+metrics+"\n",
		"2026-01-01", today.Format(time.DateOnly), "2026-02-01", today.Add(72*time.Hour).Format(time.DateOnly))
	program := filepath.Join(t.TempDir(), "fairbridge")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "fairbridge/cmd/fairbridge")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	h.run("bash", "testdata/host", bin, workDir, program, h.scripts(), "testdata/bin")
	return h
}

// workDir is where the page's commands are typed, inside.
const workDir = "/run/clone"

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// scripts returns a copy of the project's units with the places filled in.
func (h *host) scripts() string {
	dir := filepath.Join(h.t.TempDir(), "scripts")
	if err := os.MkdirAll(dir+"/systemd", 0o755); err != nil {
		h.t.Fatal(err)
	}
	units, err := filepath.Glob("../../scripts/systemd/*")
	if err != nil || len(units) == 0 {
		h.t.Fatalf("no units: %v", err)
	}
	for _, unit := range units {
		text, err := os.ReadFile(unit)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, "systemd", filepath.Base(unit)), []byte(h.filled.Replace(string(text))), 0o644)
		}
		if err != nil {
			h.t.Fatal(err)
		}
	}
	return dir
}

// run runs a command inside as root.
func (h *host) run(argv ...string) string {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), 5*time.Minute)
	defer cancel()
	wd, err := os.Getwd()
	if err != nil {
		h.t.Fatal(err)
	}
	argv = append([]string{"env", "-C", wd, "PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8"}, argv...)
	out, err := h.slurm.Run(ctx, "root", argv...)
	if err != nil {
		h.t.Fatalf("%v\n%s", err, out)
	}
	return out
}

// root types lines as root, each of which must succeed.
func (h *host) root(text string) string {
	h.t.Helper()
	return h.run("bash", "-euo", "pipefail", "-c", "cd "+workDir+"\n"+text)
}

// try types lines as root that may fail.
func (h *host) try(text string) string { return h.root(text + " 2>&1 || true") }

// user types a line as a user of Slurm.
func (h *host) user(name, line string) string {
	h.t.Helper()
	return strings.TrimSpace(h.run("setpriv", "--reuid", name, "--regid", name, "--init-groups", "--", "bash", "-ec", "cd ~"+name+"; "+line))
}

// follow does what a block of the page says. What is not a command is known here by its
// beginning; anything else is typed.
func (h *host) follow(s section, b block) {
	h.t.Helper()
	text := h.filled.Replace(b.text)
	first, _, _ := strings.Cut(text, "\n")
	h.t.Logf("%s: %s", s.heading, first)
	switch {
	case b.language == "yaml" && strings.HasPrefix(text, "groups:"): // alerts, for Prometheus
	case b.language == "yaml":
		h.write("/etc/fairbridge/fairbridge.yaml", text)
	case b.language != "":
		h.t.Fatalf("a block of %s that the test does not know:\n%s", b.language, text)
	case strings.HasPrefix(text, "✗"): // what doctor says
		h.saysAsThePage(text)
	case strings.HasPrefix(text, "*/20 * * * * root "):
		h.write("/etc/cron.d/fairbridge-token", text)
		h.root(strings.TrimPrefix(first, "*/20 * * * * root "))
	default:
		h.t.Logf("%s", h.root(text))
	}
}

// write writes a file inside.
func (h *host) write(path, text string) {
	h.t.Helper()
	h.root("cat >" + path + " <<'END'\n" + text + "END\n")
}

// saysAsThePage wants doctor to say of a token of root what the page shows.
func (h *host) saysAsThePage(quote string) {
	h.t.Helper()
	parts := strings.Split(strings.TrimSpace(quote), "…")
	h.write("/run/rootstoken.yaml", "cluster: lab\nslurm: {token_file: /run/rootstoken}\npartitions: [{name: gpu}]\n")
	got := h.root("(umask 077; scontrol token username=root >/run/rootstoken)\n" +
		"bin/fairbridge -c /run/rootstoken.yaml doctor && exit 1 || test $? = 3")
	for _, part := range parts {
		if squeezed := strings.Join(strings.Fields(part), " "); !strings.Contains(strings.Join(strings.Fields(got), " "), squeezed) {
			h.t.Errorf("the page says %q, doctor\n%s", squeezed, got)
		}
	}
}

// mistakes makes the mistakes that people make, one at a time, and wants doctor to find them.
func (h *host) mistakes() {
	h.t.Helper()
	for _, tt := range []struct{ edit, status, says string }{
		{`s/^cluster: lab/cluster: lib/`, "3", `✗ cluster scontrol speaks for cluster "lab", the configuration for "lib"`},
		{`$ a journal: /var/lib/nosuch/journal`, "3", "✗ folders /var/lib/nosuch (journal) cannot be written to"},
		{`$ a probes: {spool: /var/lib/nosuch/samples}`, "3", "✗ folders /var/lib/nosuch/samples (probes.spool) cannot be written to"},
		{`$ a stop_file: /etc/nosuch/STOP`, "0", "! stop file the folder of stop_file, /etc/nosuch, does not exist"},
		{`s/etc.fairbridge.token/run\/open/`, "3", "→ chmod o-rwx /run/open"},
		{`s/etc.fairbridge.token/run\/nosuch/`, "3", "→ correct slurm.token_file"},
		{`s/etc.fairbridge.token/run\/rootstoken/`, "3", "→ mint a new token: scontrol token username=fairbridge"},
	} {
		got := h.root("sed '" + tt.edit + "' /etc/fairbridge/fairbridge.yaml >/run/mistake.yaml\n" +
			"install -m 0644 /etc/fairbridge/token /run/open; chown fairbridge /run/rootstoken\n" +
			"status=0; sudo -u fairbridge fairbridge -c /run/mistake.yaml doctor || status=$?; echo status $status")
		if squeezed := strings.Join(strings.Fields(got), " "); !strings.Contains(squeezed, tt.says) || !strings.HasSuffix(squeezed, "status "+tt.status) {
			h.t.Errorf("%s: want %q and status %s, doctor says\n%s", tt.edit, tt.says, tt.status, got)
		}
	}
	got := h.try("sed 's/^cluster: lab/cluster: lib/' /etc/fairbridge/fairbridge.yaml >/run/mistake.yaml; sudo -u fairbridge fairbridge -c /run/mistake.yaml run --once")
	if cycles := h.sql("select count(*) from fairbridge.cycles"); !strings.Contains(got, "correct slurm.url or cluster") || cycles != "0" {
		h.t.Errorf("with the name of another cluster %s cycles are stored, and it says\n%s", cycles, got)
	}
}

// sql asks the database as its superuser.
func (h *host) sql(query string) string {
	h.t.Helper()
	return strings.TrimSpace(h.root(`psql -Atd fairbridge -c "` + query + `"`))
}

// live has some jobs done, so that there is a past, and leaves some running and waiting.
func (h *host) live() {
	h.t.Helper()
	sbatch := "sbatch --parsable -p gpu --mem-per-gpu=100 -o /dev/null "
	done := []string{
		h.user("alice", sbatch+"-t 5 --gres=gpu:2 --wrap 'sleep 6'"),
		h.user("bob", sbatch+"-t 90 --gres=gpu:1 --wrap 'sleep 5'"),
		h.user("carol", sbatch+"-t 5 --gres=gpu:1 --wrap 'sleep 4; exit 3'"),
	}
	stopped := h.user("alice", sbatch+"-t 60 --gres=gpu:2 --wrap 'sleep 600'")
	h.until("jobs ran and one was requeued", func() bool {
		h.try("[ $(squeue -h -o %T -j " + stopped + ") = RUNNING ] && sleep 3 && scontrol requeue " + stopped)
		return strings.Count(h.try("squeue -h -o %i -j "+strings.Join(done, ",")), "\n") == 0 && strings.Contains(h.try("scontrol show job "+stopped), "Restarts=1")
	})
	running := h.user("alice", sbatch+"-t 60 --gres=gpu:4 --comment=fairbridge:preemptible --wrap 'sleep 600'")
	array := h.user("carol", sbatch+"-t 30 --gres=gpu:4 --array=0-2 --wrap 'sleep 600'")
	waiting := h.user("bob", sbatch+"-t 30 -N2 --gres=gpu:4 --wrap 'sleep 600'")
	h.until("a cycle shows them", func() bool {
		return strings.Contains(h.try("sudo -u fairbridge fairbridge queue --json"), `"job": `+waiting)
	})
	h.jobs = append(done, stopped, running, waiting, array+"_0", array+"_2")
}

// rank sets mode rank, as the page says in words, and looks for what it says then.
func (h *host) rank() {
	h.t.Helper()
	h.root("sed -i 's/mode: observe/mode: rank/' /etc/fairbridge/fairbridge.yaml\nsystemctl restart fairbridge")
	var ours, slurms []string
	h.until("squeue shows the order of fairbridge queue, and numbers of ours stand", func() bool {
		ours, slurms = nil, strings.Fields(h.try("squeue --sort=-p,i --states=PD -h -o %A"))
		var queue struct {
			Jobs []struct {
				Job   int
				State string
			}
		}
		if err := json.Unmarshal([]byte(h.root("sudo -u fairbridge fairbridge queue --json")), &queue.Jobs); err != nil {
			h.t.Fatal(err)
		}
		for _, j := range queue.Jobs {
			if j.State == "PENDING" {
				ours = append(ours, strconv.Itoa(j.Job))
			}
		}
		return len(ours) > 1 && slices.Equal(ours, slurms) && h.sql("select count(*) from fairbridge_v1.intents where state = 'OBSERVED'") != "0"
	})
}

// read asks every command that reads, where an account stands in the configuration and in
// slurmdbd: its sums once had two rows for it.
func (h *host) read() {
	h.t.Helper()
	if got := h.sql("select string_agg(source, ' ' order by source) from fairbridge.account_sources where name = 'research' and cluster = 'lab'"); got != "config slurmdbd" {
		h.t.Errorf("account research is known from %q", got)
	}
	readertest.CheckAll(h.t, readertest.Site{
		Run: func(args ...string) (string, error) {
			line := "cd /\nsudo -u fairbridge fairbridge"
			for _, a := range args {
				line += fmt.Sprintf(" %q", a)
			}
			return h.slurm.Run(h.t.Context(), "root", "env", "PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8", "bash", "-c", line)
		},
		Jobs:         h.jobs,
		EmptyReports: []string{"wasteful-jobs"}, // without probes nothing is measured
	})
}

// isClean wants nothing of ours to stand in Slurm.
func (h *host) isClean() {
	h.t.Helper()
	for line := range strings.Lines(h.root("squeue -h -t PD -o '%i %y'")) {
		if f := strings.Fields(line); len(f) != 2 || f[1] != "0" {
			h.t.Errorf("after release a nice stands: %s", line)
		}
	}
}

// until waits for what must come.
func (h *host) until(what string, ok func() bool) {
	h.t.Helper()
	for end := time.Now().Add(3 * time.Minute); !ok(); time.Sleep(500 * time.Millisecond) {
		if time.Now().After(end) {
			h.t.Fatalf("not within three minutes: %s\n%s\n%s", what, h.try("squeue"), h.try("journalctl -u fairbridge"))
		}
	}
}
