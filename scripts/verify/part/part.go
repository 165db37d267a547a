// Package part lists the parts of make verify, and lets a test say to which of them it is left.
package part

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// Variable names, in the environment, the part that runs. Where tests run otherwise it is not set.
const Variable = "FAIRBRIDGE_VERIFY"

// Part is one part of make verify, of six minutes at most on two processors.
type Part struct {
	Name     string
	About    string        // what is tried, in a few words
	Env      []string      // NAME=value, for its commands, which have FAIRBRIDGE_VERIFY=Name too
	Commands [][]string    // run in the root of the tree, one after the other, until one fails
	Limit    time.Duration // after which it is stopped and is red; 0: DefaultLimit
}

// DefaultLimit is the limit of parts that have none of their own: a busy machine, and what is fetched and compiled
// first, are in it.
const DefaultLimit = 15 * time.Minute

// test is what Only and Long need of a test.
type test interface {
	Helper()
	Skipf(format string, args ...any)
}

// Long skips a test that takes seconds where testing.Short says so: it is left to make test. The race
// detector's parts, which run with -short, too, run it all the same.
func Long(t test, isShort bool) {
	t.Helper()
	if isShort && !Runs("race") {
		t.Skipf("takes seconds: left to make test")
	}
}

// Only skips the test in every run but that part's, or but those of several parts that a name stands for, as
// Named says. It panics where no part has the name: such a test would never run.
func Only(t test, name string) {
	t.Helper()
	if !Runs(name) {
		t.Skipf("left to make verify PART=%s", name)
	}
}

// Runs reports whether the tests run as that part, for tests that try more there. It panics where no part has the name.
func Runs(name string) bool {
	if len(Named(Table, name)) == 0 {
		panic(fmt.Sprintf("a test names the part %q of make verify: scripts/verify/part/table.go has no such part, "+
			"so correct the name or add the part", name))
	}
	return isNamed(os.Getenv(Variable), name)
}

// Named returns the parts that a name stands for: the one that has it, or all that have it with a number
// behind it. "race" stands for race-1 and race-2.
func Named(parts []Part, name string) (all []Part) {
	for _, p := range parts {
		if isNamed(p.Name, name) {
			all = append(all, p)
		}
	}
	return all
}

func isNamed(part, name string) bool {
	numbered, isLonger := strings.CutPrefix(part, name+"-")
	_, err := strconv.Atoi(numbered)
	return part == name || isLonger && err == nil
}
