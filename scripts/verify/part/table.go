package part

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Table is all parts. The gate runs one of them for each commit, in this order.
var Table = slices.Concat(
	slurm("24.11", 2), slurm("26.05", 2), race(6),
	share("reproduce", "what papers claim of their systems", [][]string{
		{"./lab/reproduce", "-run", "^Test[A-Q]"},
		{"./lab/reproduce", "-run", "^Test[R-Z]"},
		{"./lab/reproduce/deadlines", "./lab/reproduce/services"},
		{"./lab/reproduce/learned", "./lab/reproduce/prediction"},
		{"./lab/reproduce/sharing", "-run", "^TestReproduce[A-H]"},
		{"./lab/reproduce/sharing", "-skip", "^TestReproduce[A-H]"},
	}),
	share("referee", "published figures of EASY backfilling, where the logs are", [][]string{
		{"./lab/reproduce/referee", "-run", "/SP2"},
		{"./lab/reproduce/referee", "-run", "/BLUE"},
	}), // Curie's rows take up to a quarter of an hour each: by hand, see docs/simulation.md
	share("studies", "pages of figures and comparisons, on whole days", [][]string{
		{"./lab/startscore"},
		{"./lab/experiment", "./lab/evaluation", "./lab/elasticgain", "./bridge/whatif"},
		{"./replica/shadow", "./replica/slurmrun", "./lab/exact", "./lab/fluid"},
		{"./lab/train/...", "./cmd/fairbridge/canaryreport"},
	}),
	laws(
		[]string{"./policy/catalogue", "-run", "'^TestLaws$/^[a-g]'"},
		[]string{"./policy/catalogue", "-run", "'^TestLaws$/^[h-z]'"},
		[]string{`$(grep -rl --include='*_test.go' 'rapid\.Check' . | xargs -n 1 dirname | sort -u |`,
			`grep -v catalogue)`},
	),
	share("golden", "figures that must not change unnoticed", [][]string{
		{"./lab/golden", "-run", "^Test[A-N]"},
		{"./lab/golden", "-skip", "^Test[A-N]"},
	}),
	[]Part{
		{
			Name:     "fidelity",
			About:    "the simulated Slurm against real runs",
			Env:      requireServices,
			Commands: goTest("./lab/fidelity", "./cmd/fidelity/realrun"),
		},
		{
			Name:  "speed",
			About: "how much of the processor a decision of each policy takes, and whether a workload became slower",
			Commands: append(goTest("./policy/catalogue", "./policy/paper/...", "-run", "InTime"),
				goTest("./scripts/speed", "-v", "-count=1")...),
		},
		{
			Name:     "chaos",
			About:    "the control loop under every fault, 200 seeds",
			Commands: goTest("./gear/chaos", "-skip", "^TestTheOracleCanSeeErrors$"),
		},
		{
			Name:     "mutants",
			About:    "planted errors, which the oracle of chaos must see",
			Commands: goTest("./gear/chaos", "-run", "^TestTheOracleCanSeeErrors$"),
		},
		{
			Name:     "packages",
			About:    "packages and image made twice, installed on a bare Debian 12, upgraded, removed",
			Env:      tryPackages,
			Commands: packaging("-run", "^(TestRelease|TestImage)$", "-skip", "^TestRelease$/^tryinstall$"),
		},
		{
			Name:     "tryinstall",
			About:    "the install of ten minutes, by the clock, beside a Slurm under systemd",
			Env:      tryPackages,
			Commands: packaging("-run", "^TestRelease$/^tryinstall$"),
		},
		{
			Name:     "fuzz",
			About:    "every fuzz test, for a few seconds",
			Commands: [][]string{{"make", "fuzz", "FUZZTIME=5s"}},
		},
		{
			Name:     "demo",
			About:    "the demonstration on real Slurms",
			Env:      requireServices,
			Commands: goTest("./cmd/fairbridge-demo/..."),
		},
	},
)

// requireServices has tests fail where they would be skipped for want of a Slurm or a Postgres.
var requireServices = []string{"FAIRBRIDGE_REQUIRE_SLURM=1", "FAIRBRIDGE_REQUIRE_PG=1"}

var tryPackages = []string{"FAIRBRIDGE_TRY_PACKAGES=1"}

// slurm returns the parts that play the end-to-end tests on another release of Slurm, in so many shares.
func slurm(release string, shares int) (all []Part) {
	roots := os.Getenv("FAIRBRIDGE_SLURM_ROOTS")
	if cache, err := os.UserCacheDir(); roots == "" && err == nil {
		roots = filepath.Join(cache, "fairbridge/roots")
	}
	for i := range shares {
		share := fmt.Sprintf("%d/%d", i+1, shares)
		all = append(all, Part{
			Name:  fmt.Sprintf("slurm-%s-%d", release, i+1),
			About: "end-to-end tests on Slurm " + release + ", share " + share,
			Env: append([]string{
				"FAIRBRIDGE_SLURM_ROOTS=" + roots, "FAIRBRIDGE_E2E_RELEASE=" + release, "FAIRBRIDGE_E2E_SHARE=" + share,
			}, requireServices...),
			Commands: append([][]string{
				{"scripts/slurm/install", "debootstrap"},
				{"scripts/slurm/root", release, filepath.Join(roots, release)},
			}, goTest("./e2e")...),
		})
	}
	return all
}

// laws returns the parts that draw a hundred cases for each property test, where make test draws fewer.
func laws(tests ...[]string) []Part {
	all := share("laws", "property tests with a hundred cases each", tests)
	for i := range all {
		all[i].Env = []string{"RAPID_CHECKS=100"}
		all[i].Commands = [][]string{{"sh", "-c", strings.Join(all[i].Commands[0], " ")}}
	}
	return all
}

// race returns the parts of make race, whose packages are dealt over so many.
func race(shares int) (all []Part) {
	for i := range shares {
		share := fmt.Sprintf("%d/%d", i+1, shares)
		all = append(all, Part{
			Name: fmt.Sprintf(
				"race-%d",
				i+1,
			), About: "the short tests under the race detector, share " + share, Env: requireServices,
			Commands: [][]string{{"make", "race", "SHARE=" + share}},
		})
	}
	return all
}

// share returns parts with one name and a number each, which run the tests that the words of each choose.
func share(name, about string, tests [][]string) (all []Part) {
	for i, words := range tests {
		all = append(
			all,
			Part{
				Name:     fmt.Sprintf("%s-%d", name, i+1),
				About:    about + ": " + strings.Join(words, " "),
				Commands: goTest(words...),
			},
		)
	}
	return all
}

// packaging returns the commands that run tests of packaging as root.
func packaging(args ...string) [][]string {
	const asRoot = `[ "$(id -u)" = 0 ] || exec sudo -n env "PATH=$PATH" "FAIRBRIDGE_TRY_PACKAGES=1" "$@"; exec "$@"`
	test := goTest(append([]string{"./packaging", "-v"}, args...)...)[0]
	return [][]string{
		{"scripts/slurm/install", "debootstrap", "openssh-client"},
		append([]string{"sh", "-c", asRoot, "root"}, test...),
	}
}

// goTest returns the one command that runs tests, as long as a part may take.
func goTest(args ...string) [][]string {
	return [][]string{append([]string{"go", "test", "-timeout", DefaultLimit.String()}, args...)}
}
