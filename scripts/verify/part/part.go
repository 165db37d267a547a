// Package part lists the parts of make verify, and lets a test say to which of them it is left.
package part

import (
	"fmt"
	"os"
	"slices"
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

// DefaultLimit is the limit of parts that have none of their own: a busy machine, and what is fetched and compiled first, are in it.
const DefaultLimit = 15 * time.Minute

// test is what Only needs of a test.
type test interface {
	Helper()
	Skipf(format string, args ...any)
}

// Only skips the test in every run but that part's. It panics where no part has the name: such a test would never run.
func Only(t test, name string) {
	t.Helper()
	if !Runs(name) {
		t.Skipf("left to make verify PART=%s", name)
	}
}

// Runs reports whether the tests run as that part, for tests that try more there. It panics where no part has the name.
func Runs(name string) bool {
	if _, declared := Find(Table, name); !declared {
		panic(fmt.Sprintf("a test names the part %q of make verify, which scripts/verify/part/table.go does not have: correct the name or add the part", name))
	}
	return os.Getenv(Variable) == name
}

// Find returns the part with the name, and whether there is one.
func Find(parts []Part, name string) (Part, bool) {
	i := slices.IndexFunc(parts, func(p Part) bool { return p.Name == name })
	if i < 0 {
		return Part{}, false
	}
	return parts[i], true
}
