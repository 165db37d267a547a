package e2e

import (
	"context"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"fairbridge/accounting/pglocal/pgtest"
)

// TestAJobSaysWhyItWaits: with order.admin_comment scontrol shows everybody why a job waits. The text
// appears, follows the line, goes when the job starts and by release; a site's own stays. To an Operator
// Slurm refuses it, once, and 22.05 has no such field: the order goes on.
func TestAJobSaysWhyItWaits(t *testing.T) {
	besideSlurm(t, func(t *testing.T, s *site) {
		const tells = "order: {admin_comment: true, admin_comment_every: 4s}"
		s.configure("rank", "fifo", "", tells)
		full := []string{"-N", "4", "--gres=gpu:8", "-t", "60"}
		runs := s.submit("carol", long, full...)
		s.until("the first job runs", time.Minute, func() bool { return s.show(runs)["JobState"] == "RUNNING" })
		var waits []string
		for _, user := range []string{"alice", "bob", "alice"} {
			waits = append(waits, s.submit(user, long, full...))
		}
		own := s.submit("bob", long, full...)
		s.run("root", "scontrol", "update", "jobid="+own, "admincomment=checked by ops")
		if s.slurm.APIVersion < "v0.0.40" {
			s.tellsNothing(waits[0], "cannot write an admin_comment")
			if out, _ := s.tryFairbridge("doctor"); !strings.Contains(out, "order.admin_comment is on") {
				t.Errorf("doctor passes over it:\n%s", out)
			}
			return
		}
		s.tellsNothing(waits[0], "Access/permission denied")
		s.kill(syscall.SIGTERM)
		s.makeAdministrator()
		s.dsn = pgtest.NewDatabase(t) // the refusal of a minute ago would keep it silent for an hour
		s.configure("rank", "fifo", "", tells)
		s.start()
		s.says(waits[0], "waits as 1st of 4 in gpu; it is next for free GPUs")
		s.says(waits[1], "waits as 2nd of 4 in gpu; others are ahead of it")
		s.says(waits[2], "waits as 3rd of 4 in gpu; others are ahead of it")
		s.run("root", "scancel", runs)
		s.until("the next job runs", time.Minute, func() bool { return s.show(waits[0])["JobState"] == "RUNNING" })
		s.says(waits[0], "")
		s.says(waits[1], "waits as 1st of 3 in gpu; it is next for free GPUs")
		s.kill(syscall.SIGTERM)
		s.fairbridge("release")
		s.says(waits[1], "")
		s.says(waits[2], "")
		s.says(own, "checked by ops")
	})
}

// adminCommentLine is how scontrol shows the field.
var adminCommentLine = regexp.MustCompile(`(?m)^ *AdminComment=(.*?) *$`)

// says waits until scontrol shows in the job's admin_comment a text that ends like that, none for "".
func (s *site) says(job, end string) {
	s.t.Helper()
	is := ""
	s.until("job "+job+" says "+end, 20*time.Second, func() bool {
		m := adminCommentLine.FindStringSubmatch(s.run("root", "scontrol", "show", "job", job))
		if is = ""; m != nil {
			is = m[1]
		}
		return strings.HasSuffix(is, end) && (end != "" || is == "")
	})
}

// tellsNothing runs a daemon that may not tell, and looks for the reason in its log.
func (s *site) tellsNothing(job, reason string) {
	s.t.Helper()
	s.start()
	s.until("the daemon says why it tells nothing", 30*time.Second, func() bool { return strings.Contains(s.log.String(), reason) })
	s.says(job, "")
}

// makeAdministrator gives the token's user the level for the rest of the test.
func (s *site) makeAdministrator() {
	s.t.Helper()
	set := func(level string) {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
		defer cancel()
		if out, err := s.slurm.Run(ctx, "root", "sacctmgr", "-i", "modify", "user", s.slurm.TokenUser, "set", "adminlevel="+level); err != nil {
			s.t.Errorf("%v: %s", err, out)
		}
	}
	set("Administrator")
	s.t.Cleanup(func() { set("Operator") })
}
