package fairbridge_test

import (
	"path"
	"slices"
	"strings"
	"testing"
)

// A rule allows or forbids imports to the packages under some folders. Folders
// and imports are given as patterns: "policy/..." is policy and all below it.
// The first rule of a kind that matches a package and an import decides.
type rule struct {
	folders []string // "..." for all
	imports []string
	why     string
}

// ours says which packages of this module a package may import. A package that
// no line names may import anything of ours.
var ours = []rule{
	{[]string{"policy"}, nil, "the vocabulary stands on nothing"},
	{[]string{"policy/pool"}, []string{"policy"}, "what is free knows no stage"},
	{[]string{"policy/engine"}, []string{"policy", "policy/pool", "policy/scaling"}, "it asks stages by its own interfaces"},
	{[]string{"policy/scaling"}, []string{"policy", "policy/solve/..."}, "how fast jobs go hangs on no stage"},
	{[]string{"policy/recurrence"}, nil, "whom a job is like is said by names alone"},
	{[]string{"policy/interleave"}, []string{"policy", "policy/solve/..."}, "how fast jobs go beside each other hangs on no stage"},
	{[]string{"policy/interference"}, []string{"policy"}, "how fast jobs are beside each other hangs on no stage"},
	{[]string{"policy/solve/choice"}, []string{"policy/solve/lp"}, "prices are found by linear programmes"},
	{[]string{"policy/solve/..."}, nil, "numbers know nothing of jobs"},
	{[]string{"lab/trace"}, []string{"policy", "bridge/printable", "bridge/slurm", "replica/workload", "replica/goodput", "replica/cluster", "bridge/datafile"}, "foreign histories are jobs"},
	{[]string{"accounting/chart"}, []string{"bridge/printable"}, "figures in, pictures out"},
	{
		[]string{"lab/reproduce/reproducetest"}, []string{"policy/...", "replica/...", "lab/...", "scripts/verify/part"},
		"tests of claims are a part of make verify",
	},
	{
		[]string{"lab/..."}, []string{"policy/...", "bridge/...", "accounting/chart", "replica/...", "lab/..."},
		"the laboratory knows no database, no daemon and no command",
	},
	{[]string{"policy/paper"}, []string{"policy", "policy/engine"}, "what the systems have in common knows none of them"},
	{[]string{"policy/paper/...", "policy/catalogue"}, []string{"policy/..."}, "a system is composed of stages, and the catalogue of systems"},
	{[]string{"gear/policytest"}, []string{"policy", "policy/pool"}, "the laws hold for every policy"},
	{[]string{"policy/admission"}, []string{"policy", "policy/engine", "policy/solve/...", "policy/grant", "policy/sizing"}, "promises are planned, and the rest of a round with them"},
	{[]string{"policy/window"}, []string{"policy", "policy/engine", "policy/scaling", "policy/solve/...", "policy/predict", "policy/grant"}, "a window predicts, plans and grants at once"},
	{[]string{"policy/colocate"}, []string{"policy", "policy/pool", "policy/engine", "policy/interleave", "policy/interference", "policy/pack", "policy/grant"}, "who shares GPUs is chosen and granted at once"},
	{[]string{"policy/deadline"}, []string{"policy", "policy/share", "policy/solve/..."}, "whose deadlines count goes by the shares of accounts"},
	{[]string{"policy/..."}, []string{"policy", "policy/pool", "policy/scaling", "policy/interleave", "policy/interference", "policy/engine", "policy/recurrence", "policy/solve/..."}, "stages do not know each other"},
	{[]string{"gear/chaos/oracle", "gear/chaos/site", "gear/chaos/event", "gear/chaos/people"}, []string{"policy", "bridge", "bridge/slurm", "replica/sim", "gear/chaos/site", "gear/chaos/event"}, "the oracle judges by the sentences, and must not share an error with the code it judges"},
	{[]string{"gear/chaos/..."}, []string{"policy/...", "bridge/...", "replica/...", "gear/...", "nodeprobe"}, "it tries the loop with policies, and needs no database"},
	{[]string{"gear/slurmtest/records"}, []string{"bridge/slurm"}, "records in, JSON values out"},
	{[]string{"gear/slurmtest/update"}, []string{"bridge/slurm", "replica/sim"}, "bodies in, changes of simulated jobs out"},
	{[]string{"replica/sim/event", "replica/sim/fairshare", "replica/sim/program", "replica/sim/dependency", "replica/sim/users"}, nil, "time, use and work know no cluster"},
	{[]string{"replica/sim/inventory"}, []string{"bridge/slurm"}, "nodes know no jobs, but what Slurm shows of nodes"},
	{[]string{"replica/sim/reader"}, []string{"bridge/slurm", "replica/sim/inventory"}, "it reads texts, and knows no jobs"},
	{[]string{"replica/sim/backfill/...", "replica/sim/reservation"}, []string{"bridge/slurm", "replica/sim/inventory", "replica/sim/backfill"}, "they know nodes and what is asked, and no world"},
	{[]string{"replica/sim"}, []string{"bridge/slurm", "replica/sim/event", "replica/sim/fairshare", "replica/sim/program", "replica/sim/dependency", "replica/sim/users", "replica/sim/inventory", "replica/sim/reader", "replica/sim/reservation", "replica/sim/backfill"}, "a simulated Slurm knows nothing of us but how we read Slurm"},
	{[]string{"gear/slurmtest"}, []string{"bridge/slurm", "replica/sim", "gear/slurmtest/..."}, "a slurmrestd in front of it"},
	{
		[]string{"gear/..."}, []string{"policy/...", "bridge/...", "replica/...", "gear/..."},
		"tests' gear knows no database and no command",
	},
	{
		[]string{"replica/..."}, []string{"policy/...", "bridge/...", "accounting/chart", "replica/..."},
		"an in-memory Slurm and the loop through it, as replay and the guard need them",
	},
	{[]string{"bridge/slurm"}, []string{"bridge/slurm/internal/hostnames"}, "what is known of Slurm hangs on nothing but how it writes names"},
	{[]string{"bridge/slurm/internal/hostnames", "bridge/slurm/internal/jsonscan"}, nil, "how lists are written, and JSON is read, hangs on nothing"},
	{[]string{"bridge/slurm/decode"}, []string{"bridge/slurm", "bridge/slurm/internal/jsonscan"}, "replies in, records out"},
	{[]string{"bridge/slurm/..."}, []string{"bridge/slurm/..."}, "the client knows Slurm only"},
	{[]string{"bridge"}, []string{"policy", "policy/recurrence", "bridge/slurm", "bridge/invariant"}, "nouns and ports stand on nothing of their verbs"},
	{[]string{"bridge/invariant"}, []string{"policy"}, "sentences, with times as reasons have them"},
	{[]string{"bridge/printable"}, nil, "text only"},
	{[]string{"bridge/actuator/sharing"}, []string{"policy", "policy/interference", "bridge/slurm", "bridge/slurm/shares"}, "plans and records in, who shares out"},
	{[]string{"bridge/actuator/..."}, []string{"policy", "bridge", "bridge/slurm", "bridge/invariant", "bridge/actuator/..."}, "what an actuator is does not hang on who uses it"},
	{[]string{"bridge/judge"}, []string{"bridge/slurm"}, "views in, a verdict out"},
	{[]string{"bridge/intake"}, []string{"policy", "policy/scaling", "bridge", "bridge/slurm", "bridge/slurm/shares", "bridge/restart", "bridge/actuator", "bridge/actuator/sharing", "bridge/ledger"}, "views and the past in, a snapshot out"},
	{[]string{"bridge/missing"}, []string{"bridge", "bridge/slurm", "bridge/judge"}, "it asks, and decides nothing"},
	{[]string{"bridge/push"}, []string{"bridge", "bridge/slurm", "bridge/actuator", "bridge/ledger", "bridge/missing"}, "it carries out what is written down, and knows neither policy nor gate"},
	{[]string{"bridge/ledger"}, []string{"bridge", "bridge/slurm", "bridge/actuator"}, "it remembers edits, and no plan"},
	{[]string{"bridge/restart"}, []string{"policy", "policy/pool", "bridge/slurm"}, "a view and a snapshot in, a reason out"},
	{[]string{"bridge/estimate"}, []string{"policy", "policy/pool", "policy/scaling", "policy/engine", "policy/predict"}, "a snapshot and its line in, times out"},
	{[]string{"bridge/neighbours"}, []string{"policy", "bridge"}, "looks at jobs in, who leaves out"},
	{[]string{"bridge/idle"}, []string{"policy", "policy/pool", "bridge", "bridge/slurm"}, "readings, a plan and the facts in, who is stopped out"},
	{[]string{"bridge/reminders"}, []string{"policy", "bridge/printable", "bridge/slurm"}, "idle GPUs and jobs in, messages out"},
	{[]string{"bridge/reminders/counts"}, nil, "numbers in, figures out"},
	{[]string{"bridge/harm"}, []string{"policy", "bridge"}, "measurements in, a verdict out"},
	{[]string{"bridge/gate"}, []string{"policy", "policy/scaling", "bridge", "bridge/idle", "bridge/slurm", "bridge/slurm/shares", "bridge/invariant", "bridge/restart", "bridge/actuator/...", "bridge/ledger"}, "plan to plan and edits to edits; what is predicted of a job on what it asks is weighed on what it is given"},
	{[]string{"bridge/diff"}, []string{"policy", "bridge", "bridge/slurm", "bridge/invariant", "bridge/actuator/...", "bridge/ledger"}, "plan and edits, from values to values"},
	{[]string{"bridge/cycle/figures"}, []string{"policy", "policy/fragment", "bridge/cycle"}, "what a cycle saw in, figures out"},
	{
		[]string{"bridge/whatif"}, []string{"policy", "policy/pool", "policy/engine", "bridge/estimate"},
		"a snapshot and requests in, starts out",
	},
	{[]string{"bridge/..."}, []string{"policy", "bridge/...", "nodeprobe"}, "history and journal reach the bridge through its own interfaces"},
	{[]string{"nodeprobe/..."}, []string{"nodeprobe/..."}, "the probe runs alone on a node"},
	{[]string{"api"}, []string{"policy", "bridge", "bridge/whatif", "accounting/estimates", "accounting/journal", "accounting/predictions", "accounting/report", "accounting/studies"}, "what is asked and answered knows neither where answers come from nor how they travel"},
	{[]string{"api/sharecompare"}, []string{"api", "policy", "bridge/printable"}, "two shares in, sentences out, on whichever side they are wanted"},
	{[]string{"api/wire"}, []string{"api"}, "paths and parameters, for both sides"},
	{[]string{"api/client", "api/credential"}, []string{"api", "api/wire", "api/credential"}, "who asks from afar holds nothing of the daemon's"},
	{[]string{"api/page/..."}, []string{"api", "api/page/...", "api/sharecompare", "api/wire", "api/identity", "policy", "bridge/printable", "accounting/journal", "accounting/report"}, "a page shows answers, and reaches no database and no Slurm"},
	{[]string{"api/..."}, []string{"api/...", "policy", "policy/pool", "policy/scaling", "bridge", "bridge/...", "accounting/..."}, "answers come from the record, the last cycles and Slurm, and it knows no command"},
	{[]string{"cmd/fairbridge/..."}, []string{
		"cmd/...", "api", "api/...", "policy", "policy/catalogue", "policy/paper", "bridge", "bridge/harm", "bridge/invariant", "bridge/ledger", "bridge/push", "bridge/reminders",
		"bridge/cycle", "bridge/slurm", "bridge/printable", "bridge/datafile", "bridge/whatif", "replica/canary", "replica/measure", "replica/policyset", "replica/replay", "replica/shadow", "replica/study", "replica/workload", "replica/cluster", "accounting", "accounting/stores", "accounting/journal",
		"accounting/estimates", "accounting/guard", "accounting/erasure", "accounting/reminders", "accounting/predictions", "accounting/runs", "accounting/report", "accounting/studies", "nodeprobe", "nodeprobe/progress",
	}, "a command is flags and printing: it asks a library and shows its values, and connects to nothing by itself"},
	{
		[]string{"cmd/fairbridge-lab/..."}, []string{"cmd/...", "policy/...", "bridge/...", "replica/...", "lab/...", "accounting/..."},
		"it tries and trains, and serves nobody",
	},
	{[]string{"cmd/internal/output"}, []string{"policy", "bridge/slurm", "bridge/printable"}, "values in, text out"},
	{[]string{"cmd/internal/version"}, nil, "it is in every program"},
	{[]string{"cmd/internal/manpages"}, []string{"cmd/internal/version"}, "help in, pages out, for both programs"},
	{[]string{"sql"}, nil, "only embedded files"},
	{[]string{"accounting"}, []string{"sql"}, "the database knows nothing of what is kept in it"},
	{[]string{"accounting/internal/value"}, nil, "values of Go and of Postgres"},
	{[]string{"accounting/journal"}, []string{"policy", "bridge/...", "sql", "accounting", "accounting/internal/value"}, "cycles and intents know no runs"},
	{[]string{"accounting/samples"}, []string{"bridge/probes", "policy", "sql", "accounting", "accounting/internal/value"}, "readings know no runs"},
	{[]string{"accounting/predictions"}, []string{"policy", "policy/learn", "policy/scaling", "sql", "accounting", "accounting/internal/value"}, "what is learnt is fitted to rows, and told on what jobs ask for"},
	{[]string{"accounting/runs/reconcile"}, []string{"policy", "bridge/slurm", "bridge/slurm/slurmdb", "bridge/ledger", "accounting/internal/value"}, "records in, rows to write out"},
	{[]string{"accounting/runs"}, []string{"policy", "bridge/...", "sql", "accounting", "accounting/internal/value", "accounting/runs/reconcile", "accounting/predictions", "accounting/speeds"}, "runs know no cycles and no readings"},
	{[]string{"accounting/guard"}, []string{"bridge", "bridge/harm", "sql", "accounting", "accounting/internal/value"}, "verdicts know no runs"},
	{[]string{"accounting/erasure"}, []string{"sql", "accounting", "accounting/internal/value"}, "it knows tables and columns, and no values"},
	{[]string{"accounting/reminders"}, []string{"bridge/reminders", "sql", "accounting", "accounting/internal/value", "accounting/journal"}, "who was told is written under the leadership that the journal keeps"},
	{[]string{"accounting/operations"}, []string{"bridge", "sql", "accounting", "accounting/internal/value"}, "who did what knows no runs"},
	{[]string{"accounting/studies"}, []string{"sql", "accounting", "accounting/internal/value"}, "figures and sentences are stored as they were found, whatever they were found by"},
	{[]string{"accounting/capacity"}, []string{"policy", "policy/fragment", "sql", "accounting", "accounting/internal/value"}, "old snapshots in, hourly means out"},
	{[]string{"accounting/..."}, []string{"policy", "policy/learn", "policy/fragment", "bridge/...", "sql", "accounting/..."}, "it stores the values of the bridge, and fits what is learnt from them"},
}

// theirs says which packages alone may import a module of others.
var theirs = []rule{
	{[]string{"nodeprobe/nvml"}, []string{"github.com/NVIDIA/go-nvml/..."}, "one place loads the NVML library"},
	{[]string{"accounting/..."}, []string{"github.com/jackc/pgx/v5/...", "github.com/pressly/goose/v3/..."}, "one place speaks to Postgres"},
	{[]string{"cmd/fairbridge/topcommand"}, []string{"charm.land/bubbletea/v2/...", "github.com/charmbracelet/x/ansi/..."}, "one place takes over the terminal"},
	{[]string{"cmd/internal/manpages"}, []string{"github.com/spf13/cobra/doc"}, "no installed program holds the writer of its pages"},
	{[]string{"cmd/..."}, []string{"github.com/spf13/cobra/...", "github.com/goccy/go-yaml/..."}, "commands and configuration belong to cmd"},
	{[]string{"policy/solve/...", "replica/...", "lab/..."}, []string{"gonum.org/v1/gonum/..."}, "numerical methods live in solve, statistics in studies"},
	{[]string{"bridge/slurm/..."}, []string{"github.com/go-resty/resty/v2/..."}, "one place speaks to slurmrestd"},
}

// pure are the packages that decide: from values to values.
var pure = []string{
	"policy/...", "bridge/intake", "bridge/restart", "bridge/actuator/...", "bridge/diff", "bridge/gate", "bridge/ledger", "bridge/judge",
	"bridge/estimate", "bridge/harm", "bridge/reminders", "bridge/neighbours", "bridge/idle", "bridge/invariant", "accounting/runs/reconcile",
}

// impure are packages that the pure ones must not import.
var impure = []string{
	"context", "net/...", "os/...", "log/...", "math/rand/...", "crypto/rand", "sync/...", "time/tzdata", "runtime/...",
	"syscall", "unsafe", "plugin", "database/...",
}

// noDatabase are packages that are tried without a database, too: where SQL is the
// subject, the test is one of accounting.
var noDatabase = []string{"policy/...", "bridge/...", "nodeprobe/..."}

// writers are the packages that may hold the writer, through which changes go to
// Slurm: the writer itself, the adapter that joins it to the loop, what joins a program,
// the studies beside a real Slurm, and the doctor, which asks it where scancel is.
var writers = []string{"bridge/slurm/writer/...", "bridge/slurm/live", "cmd/internal/system", "cmd/internal/doctor", "cmd/fidelity/..."}

// testOnly are modules that only tests and packages for tests may import.
var testOnly = []string{
	"testing/...", "github.com/google/go-cmp/...", "pgregory.net/rapid/...", "github.com/rogpeppe/go-internal/...",
	"go.uber.org/goleak/...", "github.com/getkin/kin-openapi/...", "github.com/creack/pty/...", "github.com/charmbracelet/x/vt/...", "github.com/chromedp/...", "github.com/SlinkyProject/slurm-client/...",
}

const module = "fairbridge"

// local returns the folder of an import of this module.
func local(imp string) (folder string, ok bool) {
	return strings.CutPrefix(imp, module+"/")
}

func match(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		below, all := strings.CutSuffix(p, "...")
		below = strings.TrimSuffix(below, "/")
		return p == name || all && (below == "" || name == below || strings.HasPrefix(name, below+"/"))
	})
}

func isStandard(imp string) bool {
	first, _, _ := strings.Cut(imp, "/")
	return !strings.Contains(first, ".") && first != module
}

// forTests reports whether the whole package serves tests.
func forTests(folder string) bool {
	return strings.HasSuffix(path.Base(folder), "test")
}

// TestImports checks who imports whom, tests of a package excepted: those may
// use whatever helps them, but for a database where none is the subject.
func TestImports(t *testing.T) {
	for _, f := range tree(t) {
		for _, imp := range f.imports() {
			if match(noDatabase, f.folder) && needsDatabase(imp) {
				t.Errorf("%s imports %s: what needs a database is tried in accounting", f.path, imp)
			}
			if why := forbidden(f.folder, imp); why != "" && !f.test {
				t.Errorf("%s imports %s: %s", f.path, imp, why)
			}
		}
	}
}

// needsDatabase reports whether an import is one that speaks to Postgres. Traces are
// files.
func needsDatabase(imp string) bool {
	to, _ := local(imp)
	return match([]string{"accounting/..."}, to) || match([]string{"github.com/jackc/pgx/v5/..."}, imp)
}

// forbidden says why the package must not import the other, or "".
func forbidden(folder, imp string) string {
	if to, ok := local(imp); ok {
		return forbiddenOurs(folder, to)
	}
	for _, r := range theirs {
		if match(r.imports, imp) && !match(r.folders, folder) && !forTests(folder) {
			return "only " + strings.Join(r.folders, ", ") + " may: " + r.why
		}
	}
	switch {
	case match(testOnly, imp) && !forTests(folder):
		return "only tests may"
	case match(pure, folder) && match(impure, imp) && !forTests(folder):
		return "what decides is pure: no clock, network, files, logging, goroutines or chance"
	case match([]string{"policy/..."}, folder) && !isStandard(imp) && !forTests(folder) && !match([]string{"policy/solve/..."}, folder):
		return "a policy needs the standard library only"
	}
	return ""
}

func forbiddenOurs(folder, to string) string {
	if match(writers[:1], to) && !match(writers, folder) && !forTests(folder) {
		return "only " + strings.Join(writers, ", ") + " may hold the writer"
	}
	i := slices.IndexFunc(ours, func(r rule) bool { return match(r.folders, folder) })
	if i < 0 || match(ours[i].imports, to) {
		return ""
	}
	return ours[i].why
}

// unlinked are packages that fairbridge, the program that holds Slurm's token, must
// not contain: the laboratory, installers, false drivers, servers and databases of tests.
var unlinked = []string{
	"lab/...", "gear/...", "scripts/...", "nodeprobe/fakenvml", "accounting/pglocal/...", "cmd/fairbridge-demo/...", "cmd/fairbridge-lab/...",
}

// neverAsked are packages that queue and explain, which run on login nodes, must not contain either.
var neverAsked = []string{"replica/..."}

// TestProductImportsNoLab follows the imports of the programs that a site runs.
func TestProductImportsNoLab(t *testing.T) {
	imports := localImports(t)
	for program, banned := range map[string][]string{
		"cmd/fairbridge": unlinked, "cmd/nodeprobe": unlinked, "cmd/fairbridge/ask": slices.Concat(unlinked, neverAsked),
	} {
		from := map[string]string{program: ""}
		for next := []string{program}; len(next) > 0; next = next[1:] {
			for _, to := range imports[next[0]] {
				if _, seen := from[to]; !seen {
					from[to] = next[0]
					next = append(next, to)
				}
			}
		}
		if len(from) < 10 {
			t.Fatalf("%s contains %d packages: the search is broken", program, len(from))
		}
		for name, by := range from {
			if match(banned, name) {
				t.Errorf("%s contains %s, by %s", program, name, by)
			}
		}
	}
}

// mostWithOneImporter is how many packages exactly one other package imports, tests and the
// systems under policy/paper not counted. Such a package is often a part of its importer that
// was split off to keep the importer small. The number may only fall.
const mostWithOneImporter = 81

// TestPackagesWithOneImporter counts them.
func TestPackagesWithOneImporter(t *testing.T) {
	importers := map[string][]string{}
	for folder, imports := range localImports(t) {
		for _, to := range imports {
			importers[to] = append(importers[to], folder)
		}
	}
	var alone []string
	for folder, by := range importers {
		if len(by) == 1 && !match([]string{"policy/paper/..."}, folder) {
			alone = append(alone, folder+" by "+by[0])
		}
	}
	switch n := len(alone); {
	case n > mostWithOneImporter:
		slices.Sort(alone)
		t.Errorf("%d packages have exactly one importer, at most %d: put the new one into its importer. They are:\n%s",
			n, mostWithOneImporter, strings.Join(alone, "\n"))
	case n < mostWithOneImporter:
		t.Errorf("only %d packages have exactly one importer: lower mostWithOneImporter to that", n)
	}
}

// localImports says which packages of the module each package imports, without its tests.
func localImports(t *testing.T) map[string][]string {
	imports := map[string][]string{}
	for _, f := range tree(t) {
		for _, imp := range f.imports() {
			if to, ok := local(imp); ok && !f.test && !slices.Contains(imports[f.folder], to) {
				imports[f.folder] = append(imports[f.folder], to)
			}
		}
	}
	return imports
}

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"policy/...", "policy", true}, {"policy/...", "policy/paper", true}, {"policy/...", "policytest", false},
		{"policy", "policy/paper", false}, {"...", "anything", true}, {"os/...", "os", true},
	} {
		if got := match([]string{c.pattern}, c.name); got != c.want {
			t.Errorf("match(%s, %s) = %t", c.pattern, c.name, got)
		}
	}
	for imp, want := range map[string]bool{
		module + "/accounting": true, module + "/accounting/pglocal/pgtest": true, "github.com/jackc/pgx/v5": true,
		module + "/lab/trace": false, module + "/bridge": false, "time": false,
	} {
		if needsDatabase(imp) != want {
			t.Errorf("%s needs a database: %t", imp, !want)
		}
	}
	for _, c := range [][2]string{
		{"policy/order", module + "/policy/share"}, {"policy", module + "/policy/solve/lp"}, {"bridge", module + "/accounting"},
		{"policy/order", "time/tzdata"}, {"policy/share", "math/rand/v2"}, {"bridge", "github.com/jackc/pgx/v5/pgxpool"},
		{"nodeprobe", "github.com/NVIDIA/go-nvml/pkg/nvml"}, {"bridge", "github.com/spf13/cobra"}, {"accounting", module + "/bridge/slurm/writer"},
		{"gear/chaos/oracle", module + "/bridge/gate"}, {"gear/chaos/oracle", module + "/bridge/cycle"},
		{"cmd/fairbridge", module + "/bridge/slurm/rest"}, {"cmd/fairbridge/simulation", module + "/replica/sim"},
		{"policy/place", "gonum.org/v1/gonum/mat"}, {"bridge/gate", "github.com/google/go-cmp/cmp"},
		{"bridge/gate", "log/slog"}, {"bridge/ledger", "context"}, {"bridge/diff", module + "/bridge/push"},
	} {
		if forbidden(c[0], c[1]) == "" {
			t.Errorf("%s may import %s", c[0], c[1])
		}
	}
}
