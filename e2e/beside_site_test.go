package e2e

import (
	"context"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"fairbridge/accounting/pglocal/pgtest"
	"fairbridge/scripts/throwaway"
)

// ownSlurm runs a test beside a Slurm of its own with two nodes. The lines are added to slurm.conf.
func ownSlurm(t *testing.T, lines string, test func(t *testing.T, s *site)) {
	besideOwnSlurm(t, throwaway.Options{NodeCount: 2, ExtraConf: lines}, test)
}

// findRoot returns the root directory of a release, "" for the distribution's own; the
// test is skipped where there is none.
func findRoot(t *testing.T, release string) string {
	t.Helper()
	if release == releases[0] {
		return ""
	}
	root, err := throwaway.FindReleaseRoot(release)
	if err != nil {
		t.Skip(err)
	}
	return root
}

// newOwnSite starts a Slurm in dir, a temporary directory if empty, with fairbridge beside it.
func newOwnSite(t *testing.T, dir string, o throwaway.Options) *site {
	t.Helper()
	slurm, err := throwaway.StartSlurm(t.Context(), dir, o)
	if errors.Is(err, throwaway.ErrUnavailable) && os.Getenv("FAIRBRIDGE_REQUIRE_SLURM") != "1" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	s := &site{t: t, slurm: slurm, url: slurm.URL, dsn: pgtest.NewDatabase(t), dir: t.TempDir()}
	t.Cleanup(func() {
		s.kill(syscall.SIGKILL)
		if t.Failed() && s.log != nil {
			t.Logf("fairbridge said:\n%s", s.log)
		}
		if t.Failed() {
			out, _ := s.slurm.Run(context.Background(), "root", "bash", "-c", "tail -n 15 /var/lib/slurm/log/slurmctld*")
			t.Log(out)
		}
		if err := s.slurm.Stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// sh runs a shell script inside the cluster as root.
func (s *site) sh(script string) string {
	s.t.Helper()
	return s.run("root", "timeout", "300", "bash", "-euc", script)
}

// stopController ends slurmctld as a clean shutdown does, startController starts it again.
func (s *site) stopController() {
	s.t.Helper()
	s.sh("pkill -TERM -x slurmctld; while pgrep -x slurmctld >/dev/null; do sleep 0.05; done")
}

// startController starts slurmctld, again when it ends with an error, as systemd would: one that takes back from a backup finds no
// state to read while that renames its files.
func (s *site) startController() {
	s.t.Helper()
	s.sh("setsid sh -c 'for i in 1 2 3 4 5; do slurmctld -D; [ $? = 1 ] || break; sleep 1; done' >>/var/lib/slurm/log/slurmctld.out 2>&1 </dev/null & until scontrol ping | grep -q 'fairbridge-lab is UP'; do sleep 0.05; done")
}

// ordered fills both nodes and lets n jobs of bob wait in the order opposite to the
// policy's.
func (s *site) ordered(n int) (ids []string) {
	s.t.Helper()
	for range 2 {
		s.submit("alice", long, "--gres=gpu:8", "-t", "60")
	}
	s.until("alice's jobs run", 60*time.Second, func() bool { return len(s.runningOf("alice")) == 2 })
	for i := range n {
		ids = append(ids, s.submit("bob", long, "--gres=gpu:8", "-t", string(rune('9'-i))+"0"))
	}
	s.configure("rank", "sjf", "")
	return ids
}

// logged reports whether the daemon's log holds the words.
func (s *site) logged(words string) bool { return strings.Contains(s.log.String(), words) }

// lineNow is line where Slurm may not answer.
func (s *site) lineNow() []string {
	out, err := s.slurm.Run(s.t.Context(), "root", "squeue", "-h", "-t", "PD", "-S", "-p,i", "-o", "%i")
	if err != nil {
		return nil
	}
	return strings.Fields(out)
}

// untilLine waits until the job comes first.
func (s *site) untilLine(what, first string) {
	s.t.Helper()
	s.until(what+": job "+first+" comes first", 2*time.Minute, func() bool {
		line := s.lineNow()
		return len(line) > 0 && line[0] == first
	})
}

// givesEverythingBack ends the daemon and wants nothing of ours in the jobs after a release.
func (s *site) givesEverythingBack(ids []string) {
	s.t.Helper()
	s.kill(15)
	s.fairbridge("release")
	factors := s.siteFactors()
	for _, id := range ids {
		if f := factors[id]; f != "" && f != "0" {
			s.t.Errorf("job %s keeps a site factor of %s", id, f)
		}
		if n := s.show(id)["Nice"]; n != "0" {
			s.t.Errorf("job %s keeps a nice of %s", id, n)
		}
	}
	if again := s.fairbridge("release", "--dry-run"); again != "Nothing of ours stands in Slurm.\n" {
		s.t.Errorf("a second release finds %s", again)
	}
}
