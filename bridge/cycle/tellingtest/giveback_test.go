package tellingtest

import (
	"strings"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/push"
)

// TestTextsAreGivenBack: by release, by a demotion, by switching it off, and by the timer when no daemon leads
// for long.
func TestTextsAreGivenBack(t *testing.T) {
	for name, giveBack := range map[string]func(*tellingSite){
		"release": func(s *tellingSite) { s.release() },
		"demotion": func(s *tellingSite) {
			s.demotions = []bridge.Demotion{{Partition: "gpu", Since: s.w.Now(), By: "guard", Why: "harm"}}
			s.cycles(5)
		},
		"off": func(s *tellingSite) {
			s.conf.Order.AdminComment = false
			s.restart()
			s.cycles(5)
		},
		"expire": func(s *tellingSite) {
			parts := s.parts()
			x := &push.Expirer{Releaser: push.Releaser{Ports: parts.PushPorts(), Leadership: parts.Leadership, ClusterName: "lab", HolderName: "timer:1" + push.ExpirerNameSuffix, Wait: s.wait},
				LeaderWatch: s.db, MinLeaderlessTime: s.conf.MinLeaderlessTime(), StopFile: s.conf.StopFile}
			for range 20 {
				if _, err := x.Run(s.t.Context()); err != nil {
					s.t.Fatal(err)
				}
				s.w.Advance(s.w.Now().Add(time.Minute))
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, _, waits := busySite(t, "")
			s.writes(waits[0], "checked by ops")
			s.cycles(5)
			s.wants(waits[2], "3rd of 3")
			giveBack(s)
			s.wants(waits[0], "checked by ops")
			s.wants(waits[1], "")
			s.wants(waits[2], "")
		})
	}
}

// TestAReleaseGoesOnWithoutTexts: texts that Slurm does not let us take away, since we are no
// Administrator any more, keep no number from being given back.
func TestAReleaseGoesOnWithoutTexts(t *testing.T) {
	s := newTellingSite(t, "")
	s.submit("hog", 8)
	s.w.Advance(s.w.Now().Add(time.Minute))
	var ids []int64
	for k := range 8 {
		ids = append(ids, s.submitNice(int64(900*(8-k))))
	}
	s.cycles(5)
	if n, orders := s.tellings(); n == 0 || orders == 0 {
		t.Fatalf("%d texts and %d numbers were sent", n, orders)
	}
	s.wire.ActingUser = operator
	s.wire.applied = nil
	parts := s.parts()
	r := &push.Releaser{Ports: parts.PushPorts(), Leadership: s.db, ClusterName: "lab", HolderName: s.conf.DaemonName, Wait: s.wait, MaxIdleTime: time.Minute}
	if _, held, err := r.Lead(t.Context()); err != nil || !held {
		t.Fatal(err)
	}
	_, err := r.Release(t.Context())
	if err == nil || !strings.Contains(err.Error(), "not given back") {
		t.Errorf("texts that stay are passed over: %v", err)
	}
	if n, _ := s.tellings(); n > 3*len(ids) {
		t.Errorf("%d texts were tried", n)
	}
	for _, id := range ids {
		if f, known := s.siteFactor(id); known && f != 0 {
			t.Errorf("job %d keeps site factor %d", id, f)
		}
	}
}

// siteFactor is a job's, as sprio would show it.
func (s *tellingSite) siteFactor(id int64) (int64, bool) {
	d := s.wire.DirectCluster
	d.ShowsSiteFactors = true
	v, err := d.Observe(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	j := v.Job(id)
	return j.SiteFactor, j.IsSiteFactorKnown
}
