package loginnode

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// rounds is how often each command is measured, after one that is not.
const rounds = 20

// maxWork is the most processor time that a question may take of the daemon, of its munge and of the command: what a
// user waits on an idle machine. The clock on the wall is told, and not judged: this machine may be busy.
const maxWork = 200 * time.Millisecond

// testCommands: the commands of a plain user who has nothing but client.yaml, and what they cost.
func (s *stage) testCommands(t *testing.T) {
	id := s.jobOf(t, "alice")
	for _, c := range []struct {
		argv []string
		want string
	}{
		{[]string{"whoami"}, "alice"},
		{[]string{"queue", "--me"}, "alice"},
		{[]string{"queue"}, "alice"},
		{[]string{"explain", id}, id},
		{[]string{"job", id}, id},
		{[]string{"when", "--gpus", "2", "--time", "4h"}, "start"},
	} {
		if work := s.measure(t, "alice", c.argv, c.want, rounds); work > maxWork {
			t.Errorf("%v: it takes %v of processor time to answer, at most %v", c.argv, work, maxWork)
		}
	}
	s.measure(t, "bob", []string{"queue", "--me"}, "bob", 1) // for the record: nearly all of the queue
	s.measure(t, "oper", []string{"queue"}, "alice", 1)
}

// measure runs a command again and again, tells its medians, and returns the processor time that it takes of all.
func (s *stage) measure(t *testing.T, user string, argv []string, want string, rounds int) time.Duration {
	t.Helper()
	var walls, works, owns []time.Duration
	var first string // what was worked out once since the last cycle is not worked out again
	for n := range rounds + 1 {
		cmd := s.login.command(t.Context(), user, nil, append([]string{s.program}, argv...)...)
		before, begin := s.daemonWork(t), time.Now()
		out, err := cmd.CombinedOutput()
		wall := time.Since(begin)
		if err != nil || !strings.Contains(string(out), want) || user == "alice" && strings.Contains(string(out), "bob") {
			t.Fatalf("%v: %v\n%.2000s", argv, err, out)
		}
		if n == 0 {
			first = fmt.Sprintf("%v, of which the daemon worked %v", wall.Round(time.Millisecond), s.daemonWork(t)-before)
		} else {
			walls, works = append(walls, wall), append(works, s.daemonWork(t)-before)
			owns = append(owns, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
		}
	}
	work := mean(works) // the kernel counts in ticks of 10 ms
	t.Logf("%s, %-24s answers in %v at the median (most %v); processor time of the daemon %v, of the command %v; the first answer took %s",
		user, strings.Join(argv, " "), median(walls).Round(time.Millisecond), slices.Max(walls).Round(time.Millisecond), work.Round(time.Millisecond), median(owns).Round(time.Millisecond), first)
	return work + median(owns)
}

func median(list []time.Duration) time.Duration {
	list = slices.Sorted(slices.Values(list))
	return (list[(len(list)-1)/2] + list[len(list)/2]) / 2
}

func mean(list []time.Duration) time.Duration {
	var sum time.Duration
	for _, d := range list {
		sum += d
	}
	return sum / time.Duration(len(list))
}

// daemonWork is the processor time of the daemon so far, and of what it ran.
func (s *stage) daemonWork(t *testing.T) time.Duration {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.daemonPID))
	if err != nil {
		t.Fatalf("the daemon is gone: %v", err)
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	var ticks int64
	for _, field := range strings.Fields(rest)[11:15] { // utime, stime, cutime, cstime
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}
