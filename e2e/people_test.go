package e2e

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// behindALargeJob lets small jobs be leased behind a large one: fifo without backfill.
func (s *site) behindALargeJob(n int) (small []string) {
	s.t.Helper()
	s.occupy(3)
	s.submit("bob", long, "-N", "4", "--gres=gpu:8", "-t", "60")
	for range n {
		small = append(small, s.submit("bob", long, "--gres=gpu:1", "-t", "600"))
	}
	s.configure("steer", "fifo", "backfill: none", "lease: {length: 60s}")
	return small
}

// TestAPersonsStartTimeStands: the owner of one leased job and an administrator
// for another say that it may start now; nothing of ours is written over that.
func TestAPersonsStartTimeStands(t *testing.T) {
	besideSlurm(t, func(t *testing.T, s *site) {
		small := s.behindALargeJob(2)
		s.start()
		s.until("both are leased", 40*time.Second, func() bool { return s.leased(small[0]) && s.leased(small[1]) })
		time.Sleep(20 * time.Second) // a renewal is near
		s.run("bob", "scontrol", "update", "jobid="+small[0], "starttime=now")
		s.run("root", "scontrol", "update", "jobid="+small[1], "starttime=now")
		for range 40 { // past two renewals
			for i, id := range small {
				if is := s.show(id); is["JobState"] == "PENDING" && s.leased(id) {
					t.Fatalf("job %d is held again until %s", i, is["EligibleTime"])
				}
			}
			time.Sleep(time.Second)
		}
		if out := s.fairbridge("explain", small[0]); !strings.Contains(out, "YIELDED") {
			t.Errorf("explain does not say that the job is left alone:\n%s", out)
		}
	})
}

// TestReleaseGivesBackWhatTheOwnerChanged: an owner's own nice, also by "scontrol top" while
// we live and after that, is no reason to leave our number.
func TestReleaseGivesBackWhatTheOwnerChanged(t *testing.T) {
	besideSlurm(t, func(t *testing.T, s *site) {
		ids := s.backwards(6)
		tops := map[string][]string{}
		for _, limit := range []string{"50", "60", "90"} {
			for _, who := range []string{"alice", "carol"} {
				tops[who] = append(tops[who], s.submit(who, long, "--gres=gpu:8", "-t", limit))
			}
		}
		s.start()
		firsts := []string{tops["alice"][0], tops["carol"][0]}
		s.until("an order stands", 40*time.Second, func() bool { return slices.Contains(firsts, s.line()[0]) })
		s.cycles(2) // all its numbers are written: before, no rule can split a nice into our part and the owner's
		s.run("bob", "scontrol", "update", "jobid="+ids[5], "nice=1000000")
		s.run("carol", "scontrol", "top", tops["carol"][2])
		want := map[string]string{ids[5]: "1000000"}
		s.cycles(4)
		s.checkTopped(tops["carol"])
		s.endQuietly()
		s.run("alice", "scontrol", "top", tops["alice"][2])
		s.fairbridge("release")
		s.checkTopped(tops["carol"])
		s.checkTopped(tops["alice"])
		for id, f := range s.siteFactors() {
			if f != "0" {
				t.Errorf("job %s keeps a site factor of %s", id, f)
			}
		}
		for _, id := range ids {
			if n := s.show(id)["Nice"]; n != cmp.Or(want[id], "0") {
				t.Errorf("job %s has nice %s, want %s", id, n, cmp.Or(want[id], "0"))
			}
			if p, _ := strconv.Atoi(s.show(id)["Priority"]); p > 20000 {
				t.Errorf("job %s keeps priority %d", id, p)
			}
		}
		if again := s.fairbridge("release", "--dry-run"); again != "Nothing of ours stands in Slurm.\n" {
			t.Errorf("a second release finds %s", again)
		}
	})
}

// checkTopped checks that the last of a person's jobs, which are alike, is ahead of the others by what scontrol
// top makes without us. Where our order is not a nice, top reckons with our numbers, and deals out none of them.
func (s *site) checkTopped(ids []string) {
	s.t.Helper()
	last, sum := s.show(ids[len(ids)-1]), int64(0)
	for _, id := range ids {
		is := s.show(id)
		sum += number(is["Nice"])
		if id != ids[len(ids)-1] && number(is["Priority"]) >= number(last["Priority"]) {
			s.t.Errorf("job %s has priority %s, the one on top %s", id, is["Priority"], last["Priority"])
		}
		if n := number(is["Nice"]); strings.HasPrefix(release, "22.05") && (n < -2 || n > 2) {
			s.t.Errorf("job %s has nice %d after scontrol top", id, n)
		}
	}
	if most := int64(len(ids)); sum < -most || sum > most {
		s.t.Errorf("the nices of %v are %d together", ids, sum)
	}
}

// TestWhatPeopleSetSurvives lets owners and administrators change 150 fields
// of waiting jobs at random while fairbridge orders, holds and pins them, then
// gives everything back: the last value people set is the one that stands.
func TestWhatPeopleSetSurvives(t *testing.T) {
	besideSlurm(t, func(t *testing.T, s *site) {
		hogs := s.occupy(4)
		large := s.submit("bob", long, "-N", "4", "--gres=gpu:8", "-t", "60")
		var ids []string
		owners := map[string]string{}
		for i := range 18 {
			owner := []string{"alice", "bob", "carol"}[i%3]
			id := s.submit(owner, long, "--gres=gpu:3", "-t", "600")
			ids, owners[id] = append(ids, id), owner
		}
		s.configure("steer", "fifo", "backfill: none", "lease: {length: 40s}", "")
		s.start()
		// Not only that something was pushed: Slurm would start one of the others, whose owners could change nothing any more.
		s.until("the line is ordered", 40*time.Second, func() bool { return s.line()[0] == large })
		s.run("root", "scancel", hogs[3])
		s.until("leases stand", 40*time.Second, func() bool { return slices.ContainsFunc(ids, s.leased) })
		random, last := rand.New(rand.NewPCG(1, 2)), map[string]map[string]string{}
		for range 150 {
			id := ids[random.IntN(len(ids))]
			field, value := edit(random)
			who := owners[id]
			if random.IntN(3) == 0 {
				who = "root"
			}
			s.run(who, "scontrol", "update", "jobid="+id, scontrolName[field]+"="+value)
			if last[id] == nil {
				last[id] = map[string]string{}
			}
			last[id][field] = value
			time.Sleep(time.Duration(100+random.IntN(300)) * time.Millisecond)
		}
		s.cycles(2)
		s.endQuietly()
		s.fairbridge("release")
		lost := 0
		for id, fields := range last {
			is := s.show(id)
			for field, want := range fields {
				if got := is[field]; got != want && !(want == "" && got == "(null)") {
					lost++
					t.Errorf("job %s: %s is %s, people set %q\n%s", id, field, got, want, s.fairbridge("explain", id))
				}
			}
		}
		t.Logf("150 changes of %d jobs, %d lost", len(last), lost)
	})
}

// scontrolName is what a field of "scontrol show job" is called to update it.
var scontrolName = map[string]string{"Nice": "nice", "ExcNodeList": "excnodelist", "ReqNodeList": "reqnodelist", "TimeLimit": "timelimit"}

func edit(random *rand.Rand) (field, value string) {
	switch random.IntN(4) {
	case 0:
		return "Nice", fmt.Sprint(1 + random.IntN(300))
	case 1:
		return "ExcNodeList", []string{"", "n1", "n2"}[random.IntN(3)]
	case 2:
		return "ReqNodeList", []string{"", "n3", "n4"}[random.IntN(3)]
	}
	return "TimeLimit", fmt.Sprintf("%02d:00:00", 2+random.IntN(8))
}
