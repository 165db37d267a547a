package quickstart

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"fairbridge/cmd/settings"
	"fairbridge/e2e/readertest"
)

// TestQuickStart types what the page says, from an empty host to one without fairbridge
// again, and asks every command that reads for figures in between.
func TestQuickStart(t *testing.T) {
	h := newHost(t)
	sections := readPage(t, "../../docs/admin-quickstart.md")
	after := map[string]func(){
		"6. Doctor":         h.mistakes,
		"7. Observe":        h.live,
		"8. Rank":           h.rank,
		"9. Steer":          func() { h.setMode("rank", "steer") },
		"10. Preempt":       func() { h.setMode("steer", "preempt") },
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
	h.followReadme()
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
	case b.language == "yaml" && strings.HasPrefix(text, "url:"): // client.yaml, for a login node
		if _, err := settings.ParseClient("client.yaml", []byte(text)); err != nil {
			h.t.Error(err)
		}
	case b.language == "yaml":
		h.write("/etc/fairbridge/fairbridge.yaml", text)
	case b.language != "":
		h.t.Fatalf("a block of %s that the test does not know:\n%s", b.language, text)
	case strings.HasPrefix(text, "✗"): // what doctor says
		h.saysAsThePage(text)
	case strings.HasPrefix(text, "*/20 * * * * root "):
		h.write("/etc/cron.d/fairbridge-token", text)
		h.root(strings.TrimPrefix(first, "*/20 * * * * root "))
	case strings.Contains(text, "report shadow"): // 3: the few jobs of this test gain nothing
		h.t.Logf("%s", h.root(strings.TrimSpace(text)+" || test $? = 3"))
	default:
		h.t.Logf("%s", h.root(text))
	}
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
		h.try("scontrol show job " + stopped + " | grep -q Restarts=0 && [ $(squeue -h -o %T -j " + stopped + ") = RUNNING ] && sleep 3 && scontrol requeue " + stopped)
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

// setMode goes up one step, as the page says in words, and asks doctor.
func (h *host) setMode(from, to string) {
	h.t.Helper()
	h.root("sed -i 's/mode: " + from + "/mode: " + to + "/' /etc/fairbridge/fairbridge.yaml\nsystemctl restart fairbridge")
	if got := h.root("sudo -u fairbridge fairbridge doctor"); !strings.Contains(got, "partitions gpu: "+to) || strings.Contains(got, "never ran") {
		h.t.Errorf("in mode %s doctor says\n%s", to, got)
	}
}

// rank looks for what the page says of mode rank.
func (h *host) rank() {
	h.t.Helper()
	h.setMode("observe", "rank")
	var ours, slurms []string
	h.until("squeue shows the order of fairbridge queue, and numbers of ours stand", func() bool {
		ours, slurms = nil, strings.Fields(h.try("squeue --sort=-p,i --states=PD -h -o %A"))
		var queue struct {
			Jobs []struct {
				Job   int
				State string
			}
		}
		if err := json.Unmarshal([]byte(h.root("sudo -u fairbridge fairbridge queue --json")), &queue); err != nil {
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
		EmptyReports: []string{"wasteful-jobs", "deadlines", "deadline-misses", "idle-now", "idle-reminders", "idle-stops"}, // without probes nothing is measured, and no job is due
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

// followReadme types the lines of README's Install as somebody who may use sudo and make
// databases and roles, on a host without systemd. The daemon, the last line, must get
// through a cycle.
func (h *host) followReadme() {
	h.t.Helper()
	readme := readPage(h.t, "../../README.md")
	i := slices.IndexFunc(readme, func(s section) bool { return s.heading == "Install" })
	if i < 0 || len(readme[i].blocks) != 1 {
		h.t.Fatal("README has no section Install with its lines")
	}
	lines := h.filled.Replace(readme[i].blocks[0].text)
	lines = strings.Replace(lines, "make build && ", "", 1) // done
	head, ok := strings.CutSuffix(lines, "fairbridge doctor\nfairbridge run\n")
	if !ok {
		h.t.Fatalf("README does not end by looking and running:\n%s", lines)
	}
	h.root("rm -r /etc/fairbridge /var/lib/fairbridge /usr/local/bin/fairbridge\n" +
		"sudo -u postgres psql -c 'drop database fairbridge' -c 'alter role fairbridge createdb createrole'")
	h.write("/run/install", "set -eu\ncd "+workDir+"\nexport SLURM_JWT=\"$1\"\n"+head+
		"sudo sed -i 's/^cluster: .*/cluster: lab/; s/^interval: 30s/interval: 2s/; s/^listen: .*/listen: \"\"/' "+
		"/etc/fairbridge/fairbridge.yaml\n"+
		"fairbridge doctor\n"+
		"fairbridge run & daemon=$!\n"+
		"until fairbridge queue --json | grep -q '\"job\"'; do sleep 0.5; kill -0 $daemon; done\n"+
		"kill $daemon; wait $daemon\n")
	out := h.root(`token=$(scontrol token username=fairbridge lifespan=3600)
sudo -u fairbridge bash /run/install "${token#*=}" 2>&1 || echo "it failed: $?"`)
	if strings.Contains(out, "it failed: ") || !strings.Contains(out, "fairbridge ends") {
		h.t.Errorf("README's lines, with %q:\n%s", head, out)
	}
}
