package e2e

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"fairbridge/accounting/pglocal/pgtest"
	"fairbridge/scripts/throwaway"
)

// TestSlurmIsUpgraded: slurmdbd, slurmctld and slurmrestd are upgraded while our order stands
// and the daemon runs. It goes on by itself, and what was set
// before is given back.
func TestSlurmIsUpgraded(t *testing.T) {
	if release != "26.05" {
		t.Skip("an upgrade to 26.05 is tested with that release")
	}
	begin(t)
	old, latest := findRoot(t, "24.11"), findRoot(t, "26.05")
	s := newOwnSite(t, "", throwaway.Options{NodeCount: 2, SlurmRoot: old})
	s.showsLedger()
	ids := s.ordered(4)
	s.run("bob", "scontrol", "update", "jobid="+ids[1], "nice=20")
	s.start()
	s.untilLine("our order stands", ids[3])
	if err := s.slurm.Upgrade(t.Context(), latest); err != nil {
		t.Fatal(err)
	}
	later := s.submit("bob", long, "--gres=gpu:8", "-t", "3")
	s.untilLine("a job that came after the upgrade is ordered", later)
	if out := s.fairbridge("doctor"); !strings.Contains(out, "by v0.0.45") {
		t.Errorf("doctor after the upgrade: %s", out)
	}
	if running := s.runningOf("alice"); len(running) != 2 {
		t.Errorf("of alice's jobs run %v, want both", running)
	}
	s.noneIsLeftAlone(append(ids, later))
	s.kill(15)
	s.wantGivenBack(ids, "after the upgrade")
}

// otherBuildVariable names the program of another version, older or newer, to upgrade from and
// downgrade to.
const otherBuildVariable = "FAIRBRIDGE_OTHER_BUILD"

// TestAnotherBuildTakesOver: another version's order stands, its daemon is killed, and ours takes
// over with a migration; then the other comes back, which takes over or says that it cannot, and ours
// gives everything back.
func TestAnotherBuildTakesOver(t *testing.T) {
	other := os.Getenv(otherBuildVariable)
	if other == "" {
		t.Skipf("%s names no program of another version", otherBuildVariable)
	}
	begin(t)
	s := newOwnSite(t, "", throwaway.Options{NodeCount: 2, SlurmRoot: findRoot(t, release)})
	s.showsLedger()
	run := func(args ...string) string {
		out, _ := exec.Command(other, append([]string{"-c", s.conf}, args...)...).CombinedOutput()
		return string(out)
	}
	ids := s.ordered(4)
	s.dsn = pgtest.NewDatabase(t) // without our schema
	s.file("dsn", s.dsn)
	t.Logf("the other build: %s%s", run("version"), run("db", "init"))
	s.run("bob", "scontrol", "update", "jobid="+ids[1], "nice=20")
	theirs := exec.Command(other, "-c", s.conf, "run", "--allow-root")
	theirs.Stderr = &output{}
	if err := theirs.Start(); err != nil {
		t.Fatal(err)
	}
	s.untilLine("the other build's order stands", ids[3])
	_ = theirs.Process.Kill()
	_ = theirs.Wait()
	t.Logf("ours migrates: %s", s.fairbridge("db", "migrate"))
	s.start()
	later := s.submit("bob", long, "--gres=gpu:8", "-t", "3")
	s.untilLine("our order stands", later)
	s.noneIsLeftAlone(append(ids, later))
	s.kill(9)
	t.Logf("the other build again: %s", run("run", "--once"))
	s.wantGivenBack(ids, "after another build")
}
