package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fairbridge/accounting/pglocal/pgtest"
)

// writesTo counts what was written to each job so far.
func (p *proxy) writesTo() map[string]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := map[string]int{}
	for _, w := range p.writes {
		n[w[strings.LastIndex(w, "/")+1:]]++
	}
	return n
}

// TestBesideAnotherFairbridge: two daemons with databases of their own, which know
// nothing of each other and want opposite orders. Neither writes a job more than once in a
// cooldown of 20 seconds, and when both have released nothing of either stands.
func TestBesideAnotherFairbridge(t *testing.T) {
	everywhere(t, func(t *testing.T, s *site) {
		p := s.between()
		ids := s.backwards(6)
		other := s.second()
		op := other.between()
		other.configure("rank", "fifo", "")
		s.start()
		other.start()
		time.Sleep(30 * time.Second)
		s.kill(15)
		other.kill(15)
		for _, p := range []*proxy{p, op} {
			for id, n := range p.writesTo() {
				if n > 2 {
					t.Errorf("job %s was written %d times in 30 seconds", id, n)
				}
			}
		}
		s.fairbridge("release")
		other.fairbridge("release")
		if s.slurm.APIVersion != "v0.0.38" { // there one may take the other's nice for the owner's, and put it back
			s.givesEverythingBack(ids)
		}
	})
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
	s.t.Cleanup(func() { other.kill(9) })
	return other
}

// TestBesideACronScript: something else, as root and as an operator, writes the fields that
// we write, again and again. What it wrote last stands, and we do not write it over.
func TestBesideACronScript(t *testing.T) {
	everywhere(t, func(t *testing.T, s *site) {
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
		time.Sleep(5 * time.Second) // a cycle under way may end
		before := p.writesTo()
		for i := range 8 {
			update([]string{"fairbridge", "root"}[i%2])
			time.Sleep(3 * time.Second)
		}
		for id, n := range p.writesTo() {
			if n-before[id] > 2 { // a lease and a number
				t.Errorf("job %s was written %d times in 24 seconds", id, n-before[id])
			}
		}
		s.kill(15)
		s.quiet()
		s.fairbridge("release")
		for i, want := range []string{"Nice=50", "Comment=cron", "ReqNodeList=n4", "ExcNodeList=n2", "Priority=7000"} {
			k, v, _ := strings.Cut(want, "=")
			if is := s.show(small[i])[k]; is != v {
				t.Errorf("job %s: %s is %s, want %s", small[i], k, is, v)
			}
		}
	})
}
