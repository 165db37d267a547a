package e2e

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestARestoredState: an administrator puts yesterday's StateSaveLocation back, while our
// daemon runs, while it is dead, and after everything was given back. Older values of ours
// that stand again are ours, what owners had set then is theirs, and in the end
// nothing of ours is left.
func TestARestoredState(t *testing.T) {
	ownSlurm(t, "", func(t *testing.T, s *site) {
		s.showsLedger()
		s.stopController() // saves all of its state, without which 26.05 does not start
		s.startController()
		ids := s.ordered(4)
		s.configure("rank", "sjf", "", "  edit_cooldown: 2s")
		s.run("bob", "scontrol", "update", "jobid="+ids[1], "nice=20")
		s.start()
		s.untilLine("our order stands", ids[3])
		s.copyState()
		s.turnOrder(ids, "4")
		s.run("bob", "scontrol", "update", "jobid="+ids[2], "nice=40") // lost with the state
		later := s.submit("bob", long, "--gres=gpu:8", "-t", "3")      // so is the job
		s.untilLine("it stands with another job", later)
		s.restoreState()
		again := s.submit("bob", long, "--gres=gpu:8", "-t", "2")
		s.untilLine("a job that came after the restore is first", again)
		s.untilLogged("slurmctld restarted")
		if again != later {
			t.Errorf("job %s came after the restore, want the id of the lost job %s", again, later)
		}
		s.noneIsLeftAlone(slices.Concat(ids[:2], ids[3:], []string{again}))

		s.turnOrder(ids, "1")
		s.kill(9)
		s.restoreState()
		s.wantGivenBack(ids, "after a restore without a daemon")

		s.restoreState()
		s.wantGivenBack(ids, "after a restore of what had been given back")

		s.start()
		s.untilLine("our order stands again", ids[3])
		s.beginAnew(ids)
	})
}

// showsLedger lets a test that fails show what was written, and what stands.
func (s *site) showsLedger() {
	s.t.Cleanup(func() {
		if !s.t.Failed() {
			return
		}
		for _, in := range s.texts(`select format('%s: job %s %s=%s %s %s sent %s, before %s', lpad(id::text, 3), job, kind, value, state, error, sent, before) from fairbridge.intents`) {
			s.t.Log(in)
		}
		out, _ := s.slurm.Run(context.Background(), "root", "sh", "-c", "squeue -o '%i %u %T %Q %y %l %r'; sprio -o '%i %Y %S %N'")
		s.t.Log(out)
	})
}

// copyState waits until slurmctld has saved what stands now and copies its state directory. slurmctld saves only
// changes, so a node and every job change. A job cannot change before slurmdbd has given it a number. If slurmctld
// started with a job that has none, it would never ask for one, and would refuse every change of that job.
func (s *site) copyState() {
	s.t.Helper()
	s.sh(`cd /var/lib/slurm; touch now; sleep 1; scontrol update nodename=n1 comment=saved
for job in $(squeue -h -o %A); do until scontrol update jobid=$job admincomment=saved; do sleep 1; done; done
until [ state/job_state -nt now ] && [ state/node_state -nt now ]; do sleep 0.1; done; rm -rf copy; cp -a state copy`)
}

// restoreState starts slurmctld with the copy of its state directory.
func (s *site) restoreState() {
	s.t.Helper()
	s.stopController()
	s.sh("cd /var/lib/slurm; rm -rf state; cp -a copy state")
	s.startController()
}

// beginAnew starts slurmctld without any state, as after a downgrade, which cannot read the newer
// state, while our order stands. Job ids begin anew; what the ledger knows of the old jobs must not touch the new ones.
func (s *site) beginAnew(old []string) {
	s.t.Helper()
	s.stopController()
	s.sh("cd /var/lib/slurm; rm -rf state; install -d -o slurm state")
	s.startController()
	s.until("the nodes are idle", 3*time.Minute, func() bool {
		return len(strings.Fields(s.run("root", "sinfo", "-h", "-N", "-p", "gpu", "-t", "idle", "-o", "%N"))) == 2
	})
	for range 2 { // slurmd of 22.05 refuses the ids of jobs that it has just ended
		s.submit("carol", "true", "--gres=gpu:8", "-t", "1")
	}
	s.until("the ids of jobs that ran are used up", 2*time.Minute, func() bool { return s.run("root", "squeue", "-h") == "" })
	ids := s.ordered(4)
	s.run("bob", "scontrol", "update", "jobid="+ids[1], "nice=20")
	if !slices.Equal(ids[:2], old[2:]) {
		s.t.Errorf("the new jobs are %v, want two with ids of the old ones, %v", ids, old)
	}
	s.untilLine("the new jobs are ordered", ids[3])
	s.until("the old jobs are gone from the ledger", time.Minute, func() bool {
		return len(s.texts(`select job::text from fairbridge.intents i where closed is null and submit <
			(select max(submit) from fairbridge.intents n where n.job = i.job)`)) == 0
	})
	s.noneIsLeftAlone(ids)
	s.kill(15)
	s.wantGivenBack(ids, "after slurmctld began anew")
}

// turnOrder makes the owner's last job the first in line, so that all get other numbers. The daemon
// is started anew: from 24.11 on lists between two whole ones do not show a new limit.
func (s *site) turnOrder(ids []string, limit string) {
	s.t.Helper()
	s.run("bob", "scontrol", "update", "jobid="+ids[0], "timelimit="+limit)
	s.kill(15)
	s.start()
	s.untilLine("the order is another one", ids[0])
}

// untilLogged waits until the daemon's log holds the words.
func (s *site) untilLogged(words string) {
	s.t.Helper()
	s.until("the log says "+words, time.Minute, func() bool { return s.logged(words) })
}

// noneIsLeftAlone wants no job to be taken for changed by a person.
func (s *site) noneIsLeftAlone(ids []string) {
	s.t.Helper()
	for _, in := range s.texts(`select job || ': ' || kind || ' ' || coalesce(error, '') from fairbridge.intents where state = 'YIELDED'`) {
		if id, _, _ := strings.Cut(in, ":"); slices.Contains(ids, id) {
			s.t.Errorf("taken for a person's change: %s", in)
		}
	}
}

// wantGivenBack releases, and wants in the jobs what the owner had set when the state was copied.
func (s *site) wantGivenBack(ids []string, when string) {
	s.t.Helper()
	out := s.fairbridge("release")
	factors := s.siteFactors()
	for i, id := range ids {
		if f := factors[id]; f != "" && f != "0" {
			s.t.Errorf("%s: job %s keeps a site factor of %s\n%s", when, id, f, out)
		}
		want := []string{"0", "20", "0", "0"}[i]
		if n := s.show(id)["Nice"]; n != want {
			s.t.Errorf("%s: job %s keeps a nice of %s, want %s\n%s", when, id, n, want, out)
		}
	}
	s.fairbridge("release") // what was given back within a second of slurmctld's start counts as given back before it
	if again := s.fairbridge("release", "--dry-run"); again != "Nothing of ours stands in Slurm.\n" {
		s.t.Errorf("%s: a second release finds %s", when, again)
	}
}
