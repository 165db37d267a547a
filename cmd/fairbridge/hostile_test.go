package main

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"fairbridge/cmd/internal/cli"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"

	"fairbridge/bridge/printable"
	"fairbridge/replica/sim"
)

// hostileText is what no user is called and any user may write: it clears terminals,
// names windows, forges lines, cells and tags, turns text around, hides in it, is a
// formula, no UTF-8, and long.
var hostileText = "=cmd|'/c calc'!A1\x1b[2J\x1b]0;owned\a\nFORGED 99 root\r\t\u009b31m\u202e\u2066\u200b\u2028\x7f\xff\U000e0041" +
	`"';@SUM(1),<script>alert(1)</script>{{.}}%s%n` + strings.Repeat("x", 3000)

// readers are what every command prints of hostile text, by the command's name. Of those
// that are not here, noReaders say why.
var readers = map[string][]string{
	"plan":               {"plan", "plan --json"},
	"queue":              {"queue", "queue --estimates", "queue --json", "queue --sort why", "queue --user HOSTILE", "queue --format HOSTILE", "queue -w HOSTILE", "queue --url HOSTILE"},
	"explain":            {"explain 1", "explain 2", "explain 1 --json", "explain 9"},
	"nodes":              {"nodes", "nodes --json", "nodes -w HOSTILE"},
	"shares":             {"shares", "shares --json", "shares --account HOSTILE"},
	"behind":             {"behind", "behind --json", "behind HOSTILE", "behind -A HOSTILE", "behind --url HOSTILE"},
	"study":              {"study", "study --json", "study -p HOSTILE", "study --url HOSTILE"},
	"changes":            {"changes", "changes --json", "changes -j HOSTILE", "changes --since HOSTILE"},
	"top":                {"top HOSTILE", "top --interval HOSTILE", "top --color HOSTILE", "top --url HOSTILE"},
	"link":               {"link --url HOSTILE"},
	"whoami":             {"whoami", "whoami --json", "whoami --url HOSTILE"},
	"when":               {"when --gpus 8 --time 4h", "when --gpus 8 --time 4h --json", "when --gpus 8 --time 4h --user HOSTILE --account HOSTILE", "when --gpus 8 --time 4h --type HOSTILE", "when --gpus 8 --time HOSTILE", "when --gpus 8 --time 4h --partition HOSTILE"},
	"web":                {"web --recording HOSTILE", "web --study HOSTILE", "web --demo --listen HOSTILE", "web --record web.json", "web --record HOSTILE/x", "web --url HOSTILE"},
	"job":                {"job 1", "job 1 --json", "job 9"},
	"doctor":             {"doctor", "doctor --json"},
	"bundle":             {"bundle", "bundle --to HOSTILE/x", "bundle --names-file HOSTILE/x --to names.tar.gz", "bundle --since HOSTILE"},
	"release":            {"release --dry-run --verbose", "release --dry-run --json"},
	"expire":             {"expire"},
	"erase":              {"erase HOSTILE", "erase HOSTILE --dry-run", "erase HOSTILE --yes --json"},
	"reminders":          {"reminders", "reminders --json", "reminders --since HOSTILE", "reminders --dry-run", "reminders --dry-run --json"},
	"guard check":        {"guard check --dry-run --seeds 2", "guard check --seeds 2 --json", "guard check -p HOSTILE"},
	"guard show":         {"guard show", "guard show --json", "guard show --last HOSTILE"},
	"guard demote":       {"guard demote gpu --for 1s --why HOSTILE", "guard demote gpu --json", "guard demote HOSTILE"},
	"guard clear":        {"guard clear gpu --why HOSTILE", "guard clear gpu --json", "guard clear HOSTILE"},
	"operate list":       {"operate list", "operate list --json"},
	"operate mode":       {"operate mode gpu observe --why=HOSTILE --yes", "operate mode HOSTILE observe --yes"},
	"operate release":    {"operate release 5 --why=HOSTILE --yes", "operate release HOSTILE --yes"},
	"operate resume":     {"operate resume 5 --why=HOSTILE --yes", "operate resume HOSTILE --yes"},
	"operate stop":       {"operate stop --why=HOSTILE --yes", "operate stop --why=HOSTILE --yes --json"},
	"operate undo":       {"operate undo HOSTILE --yes"},
	"report shadow":      {"report shadow --since 5d --seeds 2", "report shadow --since 5d --seeds 2 --json"},
	"report canary":      {"-c canary.yaml report canary", "-c canary.yaml report canary --json", "report canary -p HOSTILE"},
	"report":             {"report", "report all --since 2026-01-01 --until 2026-01-03", "report usage --json", "report all --format html --since 2026-01-01 --until 2026-01-03", "report usage --format csv --since 2026-01-01 --until 2026-01-03", "report waits --format csv --since 2026-01-01 --until 2026-01-03"},
	"run":                {"run --once", "-c json.yaml run --once"},
	"import":             {"import --sacct hostile.sacct", "import --sacct hostile.sacct --json"},
	"db status":          {"db status", "db status --json"},
	"db migrate":         {"db migrate", "db migrate --json"},
	"db init":            {"db init", "db init --json"},
	"version":            {"version", "version --json"},
	"policies":           {"policies", "policies tiresias", "policies --json"},
	"simulate":           {"simulate --trace hostile.jsonl --cluster 4 --policy fifo,drf --per-job jobs.csv", "simulate --trace hostile.jsonl --cluster 4 --policy fifo --json", "simulate --trace HOSTILE --cluster 4 --policy fifo", "simulate --trace hostile.sacct --cluster 1x2 --policy fifo", "simulate --trace bad.sacct --cluster 1 --policy fifo"},
	"compare":            {"compare --trace hostile.jsonl --cluster 4 --policy fifo,drf --html page.html --per-job jobs.csv", "compare --trace hostile.jsonl --cluster 4 --policy fifo,HOSTILE", "compare --trace hostile.jsonl --cluster 4 --policy fifo,drf --json"},
	"replay":             {"replay --cycle 0", "replay --cycle 0 --json", "replay --since 5d --cluster 8x8:a100 --policy fifo --html page.html --per-job jobs.csv", "replay --since 5d --policy drf --json --store", "replay --cycle 0 --partition HOSTILE"},
	"trace info":         {"trace info hostile.jsonl --cluster 4", "trace info hostile.jsonl --json", "trace info hostile.sacct --cluster 1 --skip-bad", "trace info bad.sacct", "trace info HOSTILE", "trace info --format HOSTILE hostile.jsonl"},
	"trace convert":      {"trace convert hostile.sacct --to - --skip-bad", "trace convert hostile.jsonl --to HOSTILE"},
	"trace generate":     {"trace generate day --to HOSTILE/x", "trace generate HOSTILE --to -"},
	"train mlf-rl":       {"train mlf-rl --to HOSTILE/x", "train mlf-rl --to HOSTILE --seed HOSTILE", "train mlf-rl --to weights.json --jobs 4 --gpus 4 --rounds 0 --imitation-runs 1 --runs 1 --pairs 1 --trials 1 --replace --json"},
	"train harmony-rl":   {"train harmony-rl --to HOSTILE/x", "train harmony-rl --to HOSTILE --seed HOSTILE", "train harmony-rl --to weights.json --jobs 30 --gpus 8 --load 2 --rounds 0 --imitation-runs 2 --runs 1 --pairs 1 --trials 1 --replace --json"},
	"train symphony-net": {"train symphony-net --to HOSTILE/x", "train symphony-net --to HOSTILE --seed HOSTILE", "train symphony-net --to weights.json --jobs 4 --gpus 4 --rounds 1 --turns 1 --trials 1 --replace --json"},
	"train dl2":          {"train dl2 --to HOSTILE/x", "train dl2 --to HOSTILE --seed HOSTILE", "train dl2 --to weights.json --jobs 2 --gpus 4 --rounds 0 --imitation-runs 1 --runs 2 --trials 1 --replace --json"},
	"recommend power":    {"recommend power --trace hostile.jsonl --cluster 4", "recommend power --trace hostile.jsonl --cluster 4 --json", "recommend power --trace HOSTILE --cluster 4", "recommend power --since HOSTILE", "recommend power --since 5d --partition HOSTILE", "recommend power --trace hostile.jsonl --cluster 4 --format HOSTILE"},
	"search pcs":         {"search pcs --trace hostile.jsonl --cluster 4", "search pcs --since 5d --json", "search pcs --trace HOSTILE --cluster 4", "search pcs --since HOSTILE", "search pcs --since 5d --partition HOSTILE", "search pcs --trace hostile.jsonl --cluster 4 --format HOSTILE"},
	"config check":       {"config check", "-c HOSTILE config check"},
	"config example":     {"config example"},
	"progress":           {"progress --step HOSTILE"},
}

var noReaders = map[string]string{
	"completion": "it prints programs for shells", "help": "it prints what the other commands say of themselves",
}

// Every command has its lines above, so that a new one cannot be forgotten.
func TestHostileTextIsShownToEveryCommand(t *testing.T) {
	forEachCommand(func(_ func() *cobra.Command, c *cobra.Command) {
		_, name, _ := strings.Cut(c.CommandPath(), " ")
		if !c.Hidden && !c.HasSubCommands() && noReaders[strings.Fields(name)[0]] == "" && len(readers[name]) == 0 {
			t.Errorf("no line of readers runs %q with hostile text", name)
		}
	})
}

// submitHostile submits jobs that run and wait, all of whose texts are hostile, and
// writes traces of such.
func (s *site) submitHostile(ts *testscript.TestScript, _ []string) {
	s.server.WithWorld(func(w *sim.World) {
		for _, gpus := range []int{8, 8, 8, 8, 8, 4} {
			_, err := w.Submit(sim.JobSpec{
				Name: hostileText, User: hostileText, Account: hostileText, QOS: hostileText, MinNodes: 1, GPUsPerNode: gpus, TimeLimit: time.Hour, WorkTime: time.Hour,
				Comment: "fairbridge:ckpt=" + hostileText, Extra: hostileText, Checkpoints: true,
			})
			ts.Check(err)
		}
		w.Advance(time.Now())
	})
	name, err := json.Marshal(hostileText)
	ts.Check(err)
	trace := fmt.Sprintf(`{"fairbridge_trace":1,"name":%s,"accounts":[{"Name":%[1]s,"Weight":2}]}`+"\n", name)
	for i := range 4 {
		trace += fmt.Sprintf(`{"id":%d,"name":%s,"user":%[2]s,"account":%[2]s,"qos":%[2]s,"arrive":1,"gpus":1,"duration":60}`+"\n", i+1, name)
	}
	write(ts, "hostile.jsonl", trace)
	cell := strings.NewReplacer("\n", `\n`, "|", "!", "\r", "").Replace(hostileText)
	table := "JobIDRaw|JobID|Cluster|State|Submit|Start|End|ElapsedRaw|User|Account|AllocTRES|NodeList|Partition|JobName\n"
	// sacct quotes nothing
	for i, name := range []string{`"` + cell, "plain", hostileText + `"`, "\n|" + hostileText + "\n"} {
		table += fmt.Sprintf("%d|%[1]d|sim|COMPLETED|1767225600|1767225660|1767229260|3600|%s|%[2]s|gres/gpu=2|n1|gpu|%s\n",
			i+9, cell, name)
	}
	write(ts, "hostile.sacct", table)
	write(ts, "bad.sacct",
		table+fmt.Sprintf("99|99|sim|COMPLETED|%s|1767225660|1767229260|3600|u|a|gres/gpu=%[1]s|n1|gpu|n\n", cell))
}

// showHostile runs a command line, or without one those of all commands.
func showHostile(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) > 0 {
		runHostile(ts, strings.Join(args, " "))
		return
	}
	ran := 0
	for _, name := range slices.Sorted(maps.Keys(readers)) {
		for _, line := range readers[name] {
			runHostile(ts, line)
			ran++
		}
	}
	if ran < 40 {
		ts.Fatalf("ran %d command lines only", ran)
	}
}

// runHostile runs a command line and looks at what comes out of it.
func runHostile(ts *testscript.TestScript, line string) {
	args := strings.Fields(line)
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "HOSTILE", strings.ReplaceAll(hostileText[:70], "\x00", ""))
	}
	program := "fairbridge"
	if slices.Contains(movedCommands, args[0]) {
		program = "fairbridge-lab"
	}
	if err := ts.Exec(program, args...); (err != nil) != mayFail(line) {
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != cli.ExitFinding {
			ts.Fatalf("%s: %v", line, err)
		}
	}
	out, errs := ts.ReadFile("stdout"), ts.ReadFile("stderr")
	checkShown(ts, line+" (standard output)", out)
	checkShown(ts, line+" (standard error)", errs)
	for _, c := range []string{"panic:", "goroutine "} {
		if strings.Contains(errs, c) {
			ts.Fatalf("%s:\n%s", line, errs)
		}
	}
	switch {
	case strings.HasPrefix(line, "import") && !strings.Contains(line, "--json") && !strings.Contains(out,
		"4 records read"):
		ts.Fatalf("%s loses rows: %s", line, out)
	case strings.Contains(line, "--json"):
		checkTrueJSON(ts, line, out)
	case strings.Contains(line, "--format csv"):
		checkCells(ts, line, out)
	}
	for i, a := range args {
		switch {
		case a == "--per-job":
			checkCells(ts, line, ts.ReadFile(args[i+1]))
		case a == "--html":
			checkShown(ts, line+" (page)", ts.ReadFile(args[i+1]))
		}
	}
}

// mayFail reports whether it is the failure of a line that is looked at.
func mayFail(line string) bool {
	return strings.Contains(line, "HOSTILE") && !strings.Contains(line, "--user HOSTILE") && !strings.Contains(line, "--why HOSTILE") && !strings.Contains(line, "--account HOSTILE") || strings.Contains(line, "bad.sacct") || strings.HasPrefix(line, "progress")
}

// forgedLine is a line that a user made one. In errors, which have lines of their own,
// those besides the first are indented.
var (
	forgedLine  = regexp.MustCompile(`(?m)^\s*FORGED`)
	forgedError = regexp.MustCompile(`(?m)^FORGED`)
)

// checkShown wants text that no terminal obeys and no user has forged a line of.
func checkShown(ts *testscript.TestScript, what, text string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		for part := range strings.SplitSeq(line, "\t") {
			for r := range strings.SplitSeq(part, "") {
				if printable.Text(r) != r {
					ts.Fatalf("%s has %q in\n%.300q", what, r, line)
				}
			}
		}
	}
	forged := forgedLine
	if strings.Contains(what, "standard error") {
		forged = forgedError
	}
	if forged.MatchString(text) {
		ts.Fatalf("%s has a forged line:\n%.3000s", what, text)
	}
	if strings.Contains(text, "<html") && strings.Contains(text, "<script>alert") {
		ts.Fatalf("%s has a forged tag:\n%.3000s", what, text)
	}
}

// checkTrueJSON wants JSON values whose texts, where they are those of users, are true.
func checkTrueJSON(ts *testscript.TestScript, what, text string) {
	d := json.NewDecoder(strings.NewReader(text))
	for {
		var v any
		err := d.Decode(&v)
		if err == io.EOF {
			break
		}
		if err != nil {
			ts.Fatalf("%s: %v\n%.2000s", what, err, text)
		}
	}
	if command := strings.Fields(what)[0]; slices.Contains([]string{"queue", "explain", "job"}, command) {
		var all any
		ts.Check(json.Unmarshal([]byte(text), &all))
		if !hasTrueText(all) {
			ts.Fatalf("%s does not have the user's text as it is:\n%.3000s", what, text)
		}
	}
}

// storedText is the hostile text as fairbridge holds it: readers of Slurm's records make
// control characters blanks and bound it.
var storedText = strings.Map(func(r rune) rune {
	if unicode.IsControl(r) {
		return ' '
	}
	return r
}, strings.ToValidUTF8(hostileText, "\ufffd"))

// hasTrueText reports whether a value of JSON has the hostile text anywhere, with all that
// people are not shown.
func hasTrueText(v any) bool {
	switch v := v.(type) {
	case string:
		return len(v) > 200 && strings.HasPrefix(storedText, v)
	case []any:
		return slices.ContainsFunc(v, hasTrueText)
	case map[string]any:
		return slices.ContainsFunc(slices.Collect(maps.Values(v)), hasTrueText)
	}
	return false
}

var numberCell = regexp.MustCompile(`^-?[0-9.e+]+$`)

// checkCells wants CSV none of whose cells is a formula.
func checkCells(ts *testscript.TestScript, what, text string) {
	checkShown(ts, what+" (CSV)", text)
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	ts.Check(err)
	if len(rows) < 2 {
		ts.Fatalf("%s: %d rows", what, len(rows))
	}
	for _, row := range rows {
		for _, c := range row {
			first, _ := utf8.DecodeRuneInString(strings.TrimLeft(c, " \"\t"))
			if strings.ContainsRune("=+-@", first) && !numberCell.MatchString(c) {
				ts.Fatalf("%s: the cell %.100q is a formula", what, c)
			}
		}
	}
}
