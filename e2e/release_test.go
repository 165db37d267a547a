package e2e

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"os"
	"slices"
	"syscall"
	"testing"

	"fairbridge/accounting/pglocal/pgtest"
	"fairbridge/scripts/throwaway"
	"fairbridge/scripts/throwaway/livetest"
)

// releases are the releases of Slurm that fairbridge is tested on. The first is the distribution's own; the
// others need a root directory each.
var releases = []string{"22.05", "24.11", "26.05"}

// release is the one that this run tests on.
var release = cmp.Or(os.Getenv("FAIRBRIDGE_E2E_RELEASE"), releases[0])

// shareVariable names the share of the tests that this run makes: "2/3" is the second of three.
const shareVariable = "FAIRBRIDGE_E2E_SHARE"

// sitesAtOnce is how many tests run at a time, each on a Slurm of its own: they wait more than they work.
const sitesAtOnce = 4

// begin lets the test run beside others. It skips the test with -short and where the test belongs to another share.
func begin(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("needs a real Slurm: left to make test")
	}
	if !slices.Contains(releases, release) {
		t.Fatalf("FAIRBRIDGE_E2E_RELEASE is %q, want one of %q", release, releases)
	}
	if mine, err := isInShare(os.Getenv(shareVariable), t.Name()); err != nil {
		t.Fatal(err)
	} else if !mine {
		t.Skipf("belongs to another share than %s", os.Getenv(shareVariable))
	}
	t.Parallel()
}

// isInShare reports whether the test of that name belongs to a share as "2/3"; all do where share is empty.
func isInShare(share, test string) (bool, error) {
	if share == "" {
		return true, nil
	}
	var part, parts uint32
	if n, err := fmt.Sscanf(share, "%d/%d", &part, &parts); n != 2 || err != nil || part < 1 || part > parts {
		return false, fmt.Errorf("reading %s: %q is no share as 1/2", shareVariable, share)
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(test))
	return h.Sum32()%parts == part-1, nil
}

func TestEachTestIsInOneShare(t *testing.T) {
	for _, test := range []string{"TestA", "TestB", "TestASubtest/of_it"} {
		in := 0
		for _, share := range []string{"1/3", "2/3", "3/3"} {
			mine, err := isInShare(share, test)
			if err != nil {
				t.Fatal(err)
			}
			if mine {
				in++
			}
		}
		if in != 1 {
			t.Errorf("%s is in %d of three shares, want one", test, in)
		}
	}
	for _, share := range []string{"0/2", "3/2", "half"} {
		if _, err := isInShare(share, "TestA"); err == nil {
			t.Errorf("%q is taken for a share", share)
		}
	}
}

// besideSlurm runs a test beside one of the Slurms that tests share, alone on it: the queue is empty before
// and after, and the database is new.
func besideSlurm(t *testing.T, test func(t *testing.T, s *site)) {
	begin(t)
	s := &site{t: t, slurm: livetest.Borrow(t, findRoot(t, release)), dsn: pgtest.NewDatabase(t), dir: t.TempDir()}
	s.url, s.isBorrowed = s.slurm.URL, true
	s.clear()
	t.Cleanup(func() {
		s.kill(syscall.SIGKILL)
		s.clear()
		if t.Failed() && s.log != nil {
			t.Logf("fairbridge said:\n%s", s.log)
		}
	})
	test(t, s)
}

// besideOwnSlurm runs a test beside a Slurm of its own, which the test may break.
func besideOwnSlurm(t *testing.T, o throwaway.Options, test func(t *testing.T, s *site)) {
	begin(t)
	o.SlurmRoot = findRoot(t, release)
	test(t, newOwnSite(t, "", o))
}
