package writer_test

import (
	"strconv"
	"testing"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/rest"
	"fairbridge/scripts/throwaway/livetest"
)

// What the capability table calls measured is measured here: every version
// that a live Slurm serves, not only the newest.
func TestLiveEveryVersion(t *testing.T) {
	for _, release := range []string{"22.05", "24.11", "26.05"} {
		t.Run(release, func(t *testing.T) {
			c := livetest.ClusterInLab(t, release)
			tried := 0
			for v := rest.OldestVersion; v <= rest.NewestVersion; v++ {
				api, _ := rest.APIFromVersion(v)
				client, err := rest.Open(t.Context(), rest.Config{URL: c.URL, TokenFile: c.TokenFile, PinAPI: api.Name()}, rest.PollConfig{})
				if err != nil {
					continue // not served
				}
				tried++
				t.Run(api.Name(), func(t *testing.T) { every(with(t, c, client)) })
			}
			if tried == 0 {
				t.Error("no version of ours is served")
			}
		})
	}
}

// every tries each update once and looks with scontrol what became of it.
func every(s site) {
	j := s.submit("--begin=now+1hour")
	prio := func() int64 { n, _ := strconv.ParseInt(s.show(j.ID, "Priority"), 10, 64); return n }
	base := prio()
	near := func(want int64) func() bool { return func() bool { return prio() > want-50 && prio() < want+50 } }
	if s.client.API().WritesSiteFactor {
		s.apply(slurm.Edit{Run: j.CurrentRun(), Kind: slurm.EditSiteFactor, Value: 2000})
		s.until("site factor", 5*time.Second, near(base+2000))
		s.apply(slurm.Edit{Run: j.CurrentRun(), Kind: slurm.EditSiteFactor})
		s.until("neutral", 5*time.Second, near(base))
	}
	s.apply(slurm.Edit{Run: j.CurrentRun(), Kind: slurm.EditNice, Value: -200})
	s.until("nice", 5*time.Second, near(base+200))
	s.apply(slurm.Edit{Run: j.CurrentRun(), Kind: slurm.EditPriority, Value: 50_000})
	s.until("priority", 5*time.Second, func() bool { return prio() == 50_000 })
	s.apply(slurm.Edit{Run: j.CurrentRun(), Kind: slurm.EditHandBackPriority})
	s.until("handed back", 5*time.Second, near(base))
	until := time.Now().Add(20 * time.Minute).Truncate(time.Second)
	s.apply(slurm.Edit{Run: j.CurrentRun(), Kind: slurm.EditLease, Until: until})
	s.apply(slurm.Edit{Run: j.CurrentRun(), Kind: slurm.EditRequireNodes, Nodes: []string{"n1"}})
	s.apply(slurm.Edit{Run: j.CurrentRun(), Kind: slurm.EditExcludeNodes, Nodes: []string{"n2", "n3"}})
	got := s.job(j.ID)
	if !got.EligibleTime.Equal(until) || !got.RequiredNodes.SameAs([]string{"n1"}) || !got.ExcludedNodes.SameAs([]string{"n2", "n3"}) {
		s.Errorf("eligible %v (want %v), required %s, excluded %s", got.EligibleTime, until, got.RequiredNodes.Text, got.ExcludedNodes.Text)
	}
	s.apply(slurm.Edit{Run: j.CurrentRun(), Kind: slurm.EditRequireNodes})
	s.apply(slurm.Edit{Run: j.CurrentRun(), Kind: slurm.EditExcludeNodes})
	if req, ex := s.show(j.ID, "ReqNodeList"), s.show(j.ID, "ExcNodeList"); req != "(null)" || ex != "(null)" {
		s.Errorf("cleared: required %s, excluded %s", req, ex)
	}
	if c := s.class(slurm.Edit{Run: slurm.Run{Job: 60_000_000}, Kind: slurm.EditNice, Value: 1}); c != slurm.ErrorJobGone {
		s.Errorf("no such job: %s", c)
	}
	if _, err := s.client.Observe(s.Context()); err != nil {
		s.Error(err)
	}
}
