package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fairbridge/accounting/pglocal/pgtest"
)

// TestBesideAnotherFairbridge: two daemons with databases of their own, which know
// nothing of each other and want opposite orders. Each job has one that numbers it: neither
// writes one again and again. The one that yields says so in its log, to doctor and of each
// job, and when both have released, the first once more, nothing of either stands. Twelve jobs:
// where both push in the same seconds each numbers about half of them, and yields those of
// the other half that it wanted to number too; of six that may be two, which say nothing yet.
func TestBesideAnotherFairbridge(t *testing.T) {
	besideSlurm(t, func(t *testing.T, s *site) {
		p := s.between()
		ids := s.backwards(12)
		other := s.second()
		op := other.between()
		other.configure("rank", "fifo", "")
		s.start()
		other.start()
		s.until("one of them says that something else changes priorities", 60*time.Second, func() bool {
			return s.logged("cause=other_order") || other.logged("cause=other_order")
		})
		yields := s
		if !s.logged("cause=other_order") {
			yields = other
		}
		if said := yields.findings(); !strings.Contains(said, "something else changes priorities too") {
			t.Errorf("doctor says %s", said)
		}
		explained := 0
		for _, id := range ids {
			if strings.Contains(yields.fairbridge("explain", id), "something else changes its priority too") {
				explained++
			}
		}
		if explained < 3 {
			t.Errorf("explain says of %d jobs that something else changes their priority, want 3", explained)
		}
		time.Sleep(20 * time.Second) // a cooldown: a war would go on
		s.kill(15)
		other.kill(15)
		for _, p := range []*proxy{p, op} {
			for id, n := range p.WritesTo() {
				if n > 2 {
					t.Errorf("job %s was written %d times", id, n)
				}
			}
		}
		s.fairbridge("release")
		other.fairbridge("release")
		s.givesEverythingBack(ids)
	})
}

// findings is what doctor prints, whatever it finds.
func (s *site) findings() string {
	s.t.Helper()
	path, err := binary()
	if err != nil {
		s.t.Fatal(err)
	}
	out, _ := exec.CommandContext(s.t.Context(), path, "-c", s.conf, "doctor").CombinedOutput()
	return string(out)
}

// second is another installation of fairbridge beside the same Slurm, with a
// database of its own.
func (s *site) second() *site {
	s.t.Helper()
	dir := filepath.Join(s.dir, "second")
	if err := os.Mkdir(dir, 0o700); err != nil {
		s.t.Fatal(err)
	}
	other := &site{t: s.t, slurm: s.slurm, url: s.slurm.URL, dsn: pgtest.NewDatabase(s.t), dir: dir}
	s.t.Cleanup(func() {
		other.kill(9)
		if s.t.Failed() && other.log != nil {
			s.t.Logf("the second fairbridge said:\n%s", other.log)
		}
	})
	return other
}

// TestBesideACronScript: something else, as root and as an operator, writes the fields that
// we write, holds and releases, again and again. What it wrote last stands, and we do not
// write it over.
func TestBesideACronScript(t *testing.T) {
	besideSlurm(t, func(t *testing.T, s *site) {
		p := s.between()
		small := s.behindALargeJob(6)
		s.start()
		s.until("all are leased", 60*time.Second, func() bool { return s.leased(small[0]) && s.leased(small[5]) })
		update := func(who string) {
			for i, v := range []string{"nice=50", "comment=cron", "reqnodelist=n4", "excnodelist=n2", "priority=7000"} {
				s.run(who, "scontrol", "update", "jobid="+small[i], v)
			}
		}
		update("root")
		held := small[5]
		s.cycles(2) // one under way may end
		before, began := p.WritesTo(), time.Now()
		for i := range 8 {
			who := []string{"fairbridge", "root"}[i%2]
			update(who)
			s.run(who, "scontrol", []string{"release", "hold"}[i%2], held) // the first frees what is not held, the last holds
			time.Sleep(3 * time.Second)
		}
		took := time.Since(began)
		renewals := int(took / (24 * time.Second)) // beyond one: a lease of 60 s, or up to 6 s less, is renewed when half of 60 s are left
		for id, n := range p.WritesTo() {
			if most := map[bool]int{true: 4, false: 2}[id == held] + renewals; n-before[id] > most { // a lease and a number; once more after a release
				t.Errorf("job %s was written %d times in %v, the most is %d", id, n-before[id], took.Round(time.Second), most)
			}
		}
		s.endQuietly()
		s.fairbridge("release")
		for i, want := range []string{"Nice=50", "Comment=cron", "ReqNodeList=n4", "ExcNodeList=n2", "Priority=7000"} {
			k, v, _ := strings.Cut(want, "=")
			if is := s.show(small[i])[k]; is != v {
				t.Errorf("job %s: %s is %s, want %s", small[i], k, is, v)
			}
		}
		if f := s.show(held); f["Priority"] != "0" || f["Reason"] != "JobHeldAdmin" {
			t.Errorf("job %s, which root held last, has priority %s, reason %s", held, f["Priority"], f["Reason"])
		}
	})
}
