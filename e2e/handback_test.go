package e2e

import (
	"os/exec"
	"testing"
	"time"
)

// TestAHandBackThatWasCutOffIsFinished: direct priorities are handed back by a
// hold and a release. The program dies between them, before the release is
// heard. The next one frees the job, and leaves an administrator's hold alone.
func TestAHandBackThatWasCutOffIsFinished(t *testing.T) {
	besideSlurm(t, func(t *testing.T, s *site) {
		p := s.between()
		ids := s.backwards(4)
		s.configure("rank", "sjf", "", "order: {lever: priority}")
		s.start()
		s.until("the shortest job comes first", 40*time.Second, func() bool { return s.line()[0] == ids[3] })
		s.kill(9)
		admins := s.submit("carol", long, "--gres=gpu:8", "-t", "90")
		s.run("root", "scontrol", "hold", admins)

		before := p.Writes()
		p.Break(faults{RefuseAfter: before + 1}) // the hold goes through, the release does not
		path, err := binary()
		if err != nil {
			t.Fatal(err)
		}
		cut := exec.Command(path, "-c", s.conf, "release")
		if err := cut.Start(); err != nil {
			t.Fatal(err)
		}
		s.until("one of the jobs is held", 40*time.Second, func() bool { return s.heldOf(ids) == 1 })
		_ = cut.Process.Kill()
		_ = cut.Wait()
		if n := s.heldOf(ids); n != 1 {
			t.Fatalf("%d jobs are held, want the one whose hand-back was cut off", n)
		}

		p.Break(faults{})
		s.until("release gives everything back", 4*time.Minute, func() bool {
			out, err := exec.Command(path, "-c", s.conf, "release").CombinedOutput()
			t.Logf("release: %v\n%s", err, out)
			return err == nil && s.heldOf(ids) == 0
		})
		if is := s.show(admins); is["Priority"] != "0" || is["Reason"] != "JobHeldAdmin" {
			t.Errorf("the administrator's hold: priority %s, %s", is["Priority"], is["Reason"])
		}
	})
}

// heldOf counts the jobs that are held.
func (s *site) heldOf(ids []string) (n int) {
	s.t.Helper()
	for _, id := range ids {
		if s.show(id)["Priority"] == "0" {
			n++
		}
	}
	return n
}
