package e2e

import (
	"fmt"
	"time"
)

// betweenLooks is how long until waits before it looks again.
const betweenLooks = 300 * time.Millisecond

// cycleInterval is that of the configuration.
const cycleInterval = 2 * time.Second

// until waits for a condition, which is a user's view of what must come. The limit is counted in looks, and where a daemon
// runs in its cycles too: on a machine so busy that a look takes as long as the wait before it, there is twice the time, and
// a daemon whose cycles take long has made at least half of those that are due. Nothing is waited for longer than five limits.
func (s *site) until(what string, limit time.Duration, ok func() bool) {
	s.t.Helper()
	hasCycled := s.cyclesOf(limit)
	for looks := time.Duration(0); !ok(); looks++ {
		if looked := looks * betweenLooks; looked >= 5*limit || looked >= limit && hasCycled() {
			s.explainWaiting()
			s.t.Fatalf("not within %v: %s\n%s", limit, what, s.run("root", "sh", "-c", "squeue -o '%i %u %T %Q %r %N'; sinfo -N -p gpu -o '%N %T %E'"))
		}
		time.Sleep(betweenLooks)
	}
}

// cyclesOf returns what reports whether the daemon, where one runs, has stored half of the cycles that are due within a limit.
func (s *site) cyclesOf(limit time.Duration) func() bool {
	s.t.Helper()
	if s.daemon == nil {
		return func() bool { return true }
	}
	enough := s.cycleCount() + int64(limit/cycleInterval/2)
	return func() bool { return s.cycleCount() >= enough }
}

// between puts a proxy before the site's slurmrestd; call it before configure.
func (s *site) between() *proxy {
	s.t.Helper()
	p := startProxy(s.t, s.slurm.URL)
	s.url = p.URL
	return p
}

// polls waits until fairbridge has polled so many times more: then the cycle that was under way has ended.
func (s *site) polls(p *proxy, more int) {
	s.t.Helper()
	end := p.Polls() + more
	s.until(fmt.Sprintf("%d polls more", more), time.Duration(more)*20*time.Second, func() bool { return p.Polls() >= end })
}

// cycles waits until so many more cycles are stored. The first of them may have begun before: after two, one has seen
// what was done before the call.
func (s *site) cycles(more int64) {
	s.t.Helper()
	end := s.cycleCount() + more
	s.until(fmt.Sprintf("%d cycles more", more), time.Duration(more)*20*time.Second, func() bool { return s.cycleCount() >= end })
}

// cycleCount is how many cycles are stored.
func (s *site) cycleCount() int64 {
	s.t.Helper()
	return number(s.texts("select count(*)::text from fairbridge.cycles")[0])
}

// explainWaiting logs what fairbridge says of the jobs that wait, the first few of them.
func (s *site) explainWaiting() {
	s.t.Helper()
	if s.log == nil {
		return
	}
	ids := s.lineNow()
	for _, id := range ids[:min(len(ids), 3)] {
		out, _ := s.tryFairbridge("explain", id)
		s.t.Log(out)
	}
}
