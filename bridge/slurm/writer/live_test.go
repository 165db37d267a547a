package writer_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/rest"
	"fairbridge/bridge/slurm/writer"
	"fairbridge/scripts/throwaway"
	"fairbridge/scripts/throwaway/livetest"
)

// site is a live Slurm with a writer to it.
type site struct {
	*testing.T
	slurm  *throwaway.Cluster
	client *rest.Client
	writer *writer.Writer
}

// everywhere runs a test on this machine's own Slurm and on the releases that
// can be reached.
func everywhere(t *testing.T, test func(site)) {
	t.Run("own", func(t *testing.T) { test(at(t, livetest.SharedCluster(t))) })
	for _, release := range []string{"22.05", "24.11", "26.05"} {
		t.Run(release, func(t *testing.T) { test(at(t, livetest.ClusterInLab(t, release))) })
	}
}

func at(t *testing.T, c *throwaway.Cluster) site {
	t.Helper()
	client, err := rest.Open(t.Context(), rest.Config{URL: c.URL, TokenFile: c.TokenFile}, rest.PollConfig{})
	if err != nil {
		t.Fatal(err)
	}
	return with(t, c, client)
}

func with(t *testing.T, c *throwaway.Cluster, client *rest.Client) site {
	d := writer.New(client, writer.Config{
		CheckMayWrite: func(context.Context) error { return nil },
		Scontrol:      c.Command(context.Background(), "", "scontrol").Args,
	})
	return site{t, c, client, d}
}

// submit submits a job of alice's that is cancelled at the end.
func (s site) submit(args ...string) slurm.Job {
	s.Helper()
	args = append([]string{"sbatch", "--parsable", "--chdir=/tmp", "--output=/dev/null", "--time=10", "--partition=low"}, args...)
	out := s.run("alice", append(args, "--wrap=sleep 300")...)
	id, err := strconv.ParseInt(strings.TrimSpace(out), 10, 64)
	if err != nil {
		s.Fatalf("sbatch said %q", out)
	}
	s.Cleanup(func() { _, _ = s.slurm.Run(context.Background(), "", "scancel", fmt.Sprint(id)) })
	return s.job(id)
}

func (s site) run(user string, argv ...string) string {
	s.Helper()
	out, err := s.slurm.Run(s.Context(), user, argv...)
	if err != nil {
		s.Fatalf("%v: %v\n%s", argv, err, out)
	}
	return out
}

func (s site) job(id int64) slurm.Job {
	s.Helper()
	j, err := s.client.RereadJob(s.Context(), id)
	if err != nil {
		s.Fatal(err)
	}
	return j
}

func (s site) apply(e slurm.Edit) {
	s.Helper()
	if err := s.writer.ApplyEdit(s.Context(), e); err != nil {
		s.Fatalf("%v: %v", e, err)
	}
}

// show returns one value of scontrol show job, which is not read by our code.
func (s site) show(id int64, key string) string {
	s.Helper()
	out, err := s.slurm.Run(s.Context(), "", "scontrol", "-o", "show", "job", fmt.Sprint(id))
	if err != nil { // once in some hundred runs, 22.05's dies of a broken pipe before it has printed anything
		out = s.run("", "scontrol", "-o", "show", "job", fmt.Sprint(id))
	}
	for _, w := range strings.Fields(out) {
		if v, ok := strings.CutPrefix(w, key+"="); ok {
			return v
		}
	}
	return ""
}

// until waits for what Slurm does on its own time.
func (s site) until(what string, limit time.Duration, ok func() bool) {
	s.Helper()
	const pause = 200 * time.Millisecond
	for looks := 5 * limit / pause; !ok(); looks-- { // not seconds: on a busy machine a look takes some, and Slurm too
		if looks == 0 {
			s.Fatalf("not within %v, nor four times that after: %s", limit, what)
		}
		time.Sleep(pause)
	}
}

func (s site) class(e slurm.Edit) slurm.ErrorClass {
	s.Helper()
	var err *slurm.Error
	if got := s.writer.ApplyEdit(s.Context(), e); !errors.As(got, &err) {
		s.Fatalf("%v: error %v", e, got)
	}
	return err.Class
}

func TestLiveOrder(t *testing.T) {
	everywhere(t, func(s site) {
		j := s.submit("--begin=now+1hour")
		prio := func() int64 { n, _ := strconv.ParseInt(s.show(j.ID, "Priority"), 10, 64); return n }
		twin := s.submit("--begin=now+1hour") // Slurm works fair shares out anew each minute, for both
		near := func(more int64) bool {
			base, _ := strconv.ParseInt(s.show(twin.ID, "Priority"), 10, 64)
			return base > 0 && prio() > base+more-50 && prio() < base+more+50
		}
		if s.client.API().WritesSiteFactor {
			s.apply(slurm.Edit{Run: j.CurrentRun(), Kind: slurm.EditSiteFactor, Value: 5000})
			s.until("site factor shows", 5*time.Second, func() bool { return near(5000) })
			s.apply(slurm.Edit{Run: j.CurrentRun(), Kind: slurm.EditSiteFactor, Value: -500})
			s.until("negative site factor shows", 5*time.Second, func() bool { return near(-500) })
			s.apply(slurm.Edit{Run: j.CurrentRun(), Kind: slurm.EditSiteFactor})
			s.until("neutral site factor shows", 5*time.Second, func() bool { return near(0) })
		}
		s.apply(slurm.Edit{Run: j.CurrentRun(), Kind: slurm.EditNice, Value: 100})
		s.until("nice shows", 5*time.Second, func() bool { return near(-100) && s.show(j.ID, "Nice") == "100" })
		s.apply(slurm.Edit{Run: j.CurrentRun(), Kind: slurm.EditPriority, Value: 777_777})
		s.until("priority shows", 5*time.Second, func() bool { return prio() == 777_777 })
		s.apply(slurm.Edit{Run: j.CurrentRun(), Kind: slurm.EditHandBackPriority, Value: 100})
		s.until("handed back with its nice", 5*time.Second, func() bool { return near(-100) && s.show(j.ID, "Nice") == "100" })
	})
}

func TestLiveLease(t *testing.T) {
	everywhere(t, func(s site) {
		j := s.submit("--begin=now+1hour")
		now := time.Now().Truncate(time.Second)
		s.apply(slurm.Edit{Run: j.CurrentRun(), Kind: slurm.EditLease, Until: now.Add(8 * time.Second)})
		if got := s.job(j.ID).EligibleTime; !got.Equal(now.Add(8 * time.Second)) {
			s.Errorf("eligible %v, want %v", got, now.Add(8*time.Second))
		}
		s.until("starts by itself after the lease", 75*time.Second, func() bool { return s.show(j.ID, "JobState") == "RUNNING" })
		if time.Since(now) < 8*time.Second {
			s.Error("started under the lease")
		}
		if c := s.class(slurm.Edit{Run: j.CurrentRun(), Kind: slurm.EditLease, Until: time.Now().Add(time.Minute)}); c != slurm.ErrorJobChanged {
			s.Errorf("lease of a running job: %s", c)
		}
		k := s.submit("--begin=now+1hour")
		s.apply(slurm.Edit{Run: k.CurrentRun(), Kind: slurm.EditLease, Until: time.Now().Add(30 * time.Minute)})
		s.apply(slurm.Edit{Run: k.CurrentRun(), Kind: slurm.EditUnlease, Until: time.Now()})
		s.until("starts when the lease is ended", 40*time.Second, func() bool { return s.show(k.ID, "JobState") == "RUNNING" })
	})
}

func TestLiveNodeLists(t *testing.T) {
	everywhere(t, func(s site) {
		j := s.submit("--begin=now+1hour", "--exclude=n4")
		s.apply(slurm.Edit{Run: j.CurrentRun(), Kind: slurm.EditExcludeNodes, Nodes: []string{"n1", "n2", "n4"}})
		s.apply(slurm.Edit{Run: j.CurrentRun(), Kind: slurm.EditRequireNodes, Nodes: []string{"n3"}})
		if ex, req := s.show(j.ID, "ExcNodeList"), s.show(j.ID, "ReqNodeList"); !slurm.ReadHosts(ex).SameAs([]string{"n1", "n2", "n4"}) || req != "n3" {
			s.Errorf("excluded %s, required %s", ex, req)
		}
		s.apply(slurm.Edit{Run: j.CurrentRun(), Kind: slurm.EditExcludeNodes, Nodes: []string{"n4"}})
		s.apply(slurm.Edit{Run: j.CurrentRun(), Kind: slurm.EditRequireNodes})
		if ex, req := s.show(j.ID, "ExcNodeList"), s.show(j.ID, "ReqNodeList"); ex != "n4" || req != "(null)" {
			s.Errorf("given back: excluded %s, required %s", ex, req)
		}
		s.apply(slurm.Edit{Run: j.CurrentRun(), Kind: slurm.EditExcludeNodes})
		if ex := s.show(j.ID, "ExcNodeList"); ex != "(null)" {
			s.Errorf("cleared: excluded %s", ex)
		}
		if c := s.class(slurm.Edit{Run: j.CurrentRun(), Kind: slurm.EditRequireNodes, Nodes: []string{"nosuch"}}); c != slurm.ErrorJobChanged {
			s.Errorf("unknown node: %s", c)
		}
	})
}

func TestLiveRequeue(t *testing.T) {
	everywhere(t, func(s site) {
		j := s.submit("--requeue")
		s.until("runs", 30*time.Second, func() bool { return s.show(j.ID, "JobState") == "RUNNING" })
		time.Sleep(time.Second)
		j = s.job(j.ID)
		e := slurm.Edit{Run: j.CurrentRun(), Kind: slurm.EditRequeue}
		s.apply(e)
		s.until("is pending again", 30*time.Second, func() bool { return s.show(j.ID, "JobState") == "PENDING" })
		if c := s.class(e); c != slurm.ErrorJobChanged && c != slurm.ErrorJobGone {
			s.Errorf("the same requeue again: %s", c)
		}
		time.Sleep(time.Second)
		if n := s.show(j.ID, "Restarts"); n != "1" {
			s.Errorf("%s restarts", n)
		}
		s.run("alice", "scancel", fmt.Sprint(j.ID))
		s.until("is cancelled", 10*time.Second, func() bool { return s.show(j.ID, "JobState") == "CANCELLED" })
		k := s.job(j.ID)
		s.class(slurm.Edit{Run: slurm.Run{Job: k.ID, Submit: k.CurrentRun().Submit, Restarts: k.Restarts}, Kind: slurm.EditRequeue})
		time.Sleep(time.Second)
		if st := s.show(j.ID, "JobState"); st != "CANCELLED" {
			s.Errorf("a finished job was run again: %s", st)
		}
	})
}

func TestLiveArrayTask(t *testing.T) {
	everywhere(t, func(s site) {
		a := s.submit("--array=0-3%2", "--requeue")
		var tasks []slurm.Job
		s.until("two tasks run", 30*time.Second, func() bool {
			v, err := s.client.Observe(s.Context())
			if err != nil {
				s.Fatal(err)
			}
			tasks = slices.DeleteFunc(slices.Clone(v.Jobs), func(j slurm.Job) bool { return j.ArrayJobID != a.ID || !j.IsRunning() })
			return len(tasks) == 2
		})
		time.Sleep(time.Second)
		pending := s.job(a.ID)
		s.apply(slurm.Edit{Run: pending.CurrentRun(), Kind: slurm.EditNice, Value: 33})
		if got := s.show(tasks[1].ID, "Nice"); got != "0" {
			s.Errorf("nice of a running task became %s with the array's", got)
		}
		if got := s.show(a.ID, "Nice"); got != "33" {
			s.Errorf("nice of the array is %s", got)
		}
		if r := pending.CurrentRun(); r.SLUID == "" {
			if c := s.class(slurm.Edit{Run: r, Kind: slurm.EditRequeue}); c != slurm.ErrorJobChanged {
				s.Errorf("requeue of the pending record: %s", c)
			}
		}
		s.apply(slurm.Edit{Run: tasks[0].CurrentRun(), Kind: slurm.EditRequeue})
		s.until("one task is requeued", 30*time.Second, func() bool { return s.job(tasks[0].ID).Restarts == 1 })
		time.Sleep(time.Second)
		if n := s.job(tasks[1].ID).Restarts; n != 0 {
			s.Errorf("the other task was restarted too (%d)", n)
		}
	})
}

func TestLiveHeldJobsStayHeld(t *testing.T) {
	everywhere(t, func(s site) {
		j := s.submit("--hold")
		for _, e := range []slurm.Edit{
			{Kind: slurm.EditHandBackPriority}, {Kind: slurm.EditPriority, Value: 5000}, {Kind: slurm.EditRequeue},
			{Kind: slurm.EditLease, Until: time.Now().Add(time.Minute)}, {Kind: slurm.EditUnlease, Until: time.Now()},
			{Kind: slurm.EditNice, Value: 10}, {Kind: slurm.EditSiteFactor, Value: 10},
		} {
			e.Run = j.CurrentRun()
			_ = s.writer.ApplyEdit(s.Context(), e) // refused or not: the hold stays
			if p, r := s.show(j.ID, "Priority"), s.show(j.ID, "Reason"); p != "0" || r != "JobHeldUser" {
				s.Fatalf("after %v: priority %s, reason %s", e, p, r)
			}
		}
	})
}
