package reminders_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/bridge/reminders"
	"fairbridge/bridge/slurm"
)

var noon = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

func rules() *reminders.Rules {
	return &reminders.Rules{
		Cluster: "c1", Steps: []time.Duration{30 * time.Minute, 2 * time.Hour, 8 * time.Hour}, Partitions: []string{"gpu"}, MinGPUs: 1,
		MessagesPerOwner: 4, MessagesInAll: 60, InteractiveGrace: 2 * time.Hour, MailDomain: "example.org",
	}
}

func job(id int64, change ...func(*slurm.Job)) slurm.Job {
	j := slurm.Job{ID: id, Name: "train", User: "ann", Account: "vision", Partitions: []string{"gpu"}, State: "RUNNING", IsBatch: true, Start: noon.Add(-24 * time.Hour)}
	for _, f := range change {
		f(&j)
	}
	return j
}

// idle is a reading of a GPU that is idle since so many minutes before, as far as half an hour of readings shows.
func idle(job int64, uuid string, at time.Time, minutes int) reminders.Reading {
	return reminders.Reading{User: "ann", Spell: reminders.Spell{GPU: reminders.GPU{Job: job, Node: "n1", UUID: uuid}, Since: at.Add(-time.Duration(min(minutes, 30)) * time.Minute), Until: at}}
}

func spell(job int64, uuid string, since, until time.Time) reminders.Spell {
	return reminders.Spell{GPU: reminders.GPU{Job: job, Node: "n1", UUID: uuid}, Since: since, Until: until}
}

func told(d reminders.Decision) (list []string) {
	for _, m := range d.Messages {
		for _, e := range m.Jobs {
			list = append(list, fmt.Sprintf("%s %d: %d of %d after %v", m.User, e.Job, e.IdleGPUs, e.MeasuredGPUs, e.Step))
		}
	}
	return list
}

// A GPU that is idle for a day is told of once a step, looked at every five minutes from a state that is carried on
// as the database does; and never again.
func TestStepsAreToldOnce(t *testing.T) {
	s := reminders.State{Told: map[int64]time.Duration{}, MessagesByUser: map[string]int{}}
	var got []string
	for minute := 0; minute <= 24*60; minute += 5 {
		at := noon.Add(time.Duration(minute) * time.Minute)
		s.Readings = []reminders.Reading{idle(7, "a", at, minute), idle(7, "b", at, 0)}
		d := reminders.Decide(rules(), &s, []slurm.Job{job(7)}, at)
		for _, m := range d.Messages {
			for _, e := range m.Jobs {
				s.Told[e.Job] = e.Step
				got = append(got, fmt.Sprintf("%v at %v", e.Step, at.Sub(noon)))
			}
		}
		s.Spells = d.Spells
	}
	if diff := cmp.Diff([]string{"30m0s at 30m0s", "2h0m0s at 2h0m0s", "8h0m0s at 8h0m0s"}, got); diff != "" {
		t.Error(diff)
	}
}

// Absent, stale and doubted readings make no spell, and end one.
func TestAbsenceProvesNothing(t *testing.T) {
	hours := spell(7, "a", noon.Add(-3*time.Hour), noon.Add(-5*time.Minute))
	for name, c := range map[string]struct {
		before  []reminders.Spell
		reading []reminders.Reading
		want    []string
	}{
		"it goes on":              {[]reminders.Spell{hours}, []reminders.Reading{idle(7, "a", noon, 30)}, []string{"ann 7: 1 of 1 after 2h0m0s"}},
		"no reading":              {[]reminders.Spell{hours}, nil, nil},
		"busy":                    {[]reminders.Spell{hours}, []reminders.Reading{idle(7, "a", noon, 0)}, nil},
		"readings begin after it": {[]reminders.Spell{spell(7, "a", noon.Add(-3*time.Hour), noon.Add(-31*time.Minute))}, []reminders.Reading{idle(7, "a", noon, 29)}, nil},
		"doubted": {[]reminders.Spell{hours}, []reminders.Reading{func() reminders.Reading {
			r := idle(7, "a", noon, 30)
			r.Doubt = "the job reported progress"
			return r
		}()}, nil},
		"another GPU":             {[]reminders.Spell{hours}, []reminders.Reading{idle(7, "b", noon, 29)}, nil},
		"another run":             {[]reminders.Spell{{GPU: reminders.GPU{Job: 7, Restarts: 1, Node: "n1", UUID: "a"}, Since: hours.Since, Until: hours.Until}}, []reminders.Reading{idle(7, "a", noon, 29)}, nil},
		"half an hour, no memory": {nil, []reminders.Reading{idle(7, "a", noon, 30)}, []string{"ann 7: 1 of 1 after 30m0s"}},
		"another user's job had the id": {[]reminders.Spell{hours}, []reminders.Reading{func() reminders.Reading {
			r := idle(7, "a", noon, 30)
			r.User = "bob"
			return r
		}()}, nil},
	} {
		d := reminders.Decide(rules(), &reminders.State{Spells: c.before, Readings: c.reading}, []slurm.Job{job(7)}, noon)
		if diff := cmp.Diff(c.want, told(d)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// Of these jobs nothing is told, though their GPUs are idle.
func TestJobsLeftInPeace(t *testing.T) {
	for name, change := range map[string]func(*slurm.Job){
		"quiet":                  func(j *slurm.Job) { j.Directive = slurm.ReadDirective("fairbridge:quiet") },
		"service":                func(j *slurm.Job) { j.Directive.Service = "chat" },
		"suspended":              func(j *slurm.Job) { j.State = "SUSPENDED" },
		"completing":             func(j *slurm.Job) { j.Flags = []string{"COMPLETING"} },
		"other partition":        func(j *slurm.Job) { j.Partitions = []string{"long"} },
		"exempt user":            func(j *slurm.Job) { j.User = "root" },
		"exempt account":         func(j *slurm.Job) { j.Account = "teaching" },
		"interactive":            func(j *slurm.Job) { j.IsBatch, j.Start = false, noon.Add(-119*time.Minute) },
		"untrusted":              func(j *slurm.Job) { j.UntrustedReason = "x" },
		"started meanwhile":      func(j *slurm.Job) { j.Start = noon.Add(-10 * time.Minute) },
		"restarted":              func(j *slurm.Job) { j.Restarts = 1 },
		"start is not known":     func(j *slurm.Job) { j.Start = time.Time{} },
		"start is in the future": func(j *slurm.Job) { j.Start = noon.Add(time.Hour) },
	} {
		r := rules()
		r.ExemptUsers, r.ExemptAccounts = []string{"root"}, []string{"teaching"}
		j := job(7, change)
		x := idle(7, "a", noon, 30)
		x.User = j.User
		if got := told(reminders.Decide(r, &reminders.State{Readings: []reminders.Reading{x}}, []slurm.Job{j}, noon)); got != nil {
			t.Errorf("%s: %v", name, got)
		}
	}
	old := job(7, func(j *slurm.Job) { j.IsBatch = false })
	if got := told(reminders.Decide(rules(), &reminders.State{Readings: []reminders.Reading{idle(7, "a", noon, 30)}}, []slurm.Job{old}, noon)); len(got) != 1 {
		t.Errorf("an interactive job past its grace: %v", got)
	}
	r := rules()
	r.MinGPUs = 2
	if got := told(reminders.Decide(r, &reminders.State{Readings: []reminders.Reading{idle(7, "a", noon, 30), idle(7, "b", noon, 20)}}, []slurm.Job{job(7)}, noon)); got != nil {
		t.Errorf("one GPU of two: %v", got)
	}
}

// Ten thousand jobs that seem idle at once lead to a message an owner, and no more than the bounds.
func TestMessagesAreBounded(t *testing.T) {
	s := reminders.State{MessagesByUser: map[string]int{"u3": 4}, MessagesInHour: 55}
	var jobs []slurm.Job
	for i := range int64(10_000) {
		user := fmt.Sprintf("u%d", i%500)
		jobs = append(jobs, job(i+1, func(j *slurm.Job) { j.User = user }))
		x := idle(i+1, "a", noon, 30)
		x.User = user
		s.Readings = append(s.Readings, x)
	}
	d := reminders.Decide(rules(), &s, jobs, noon)
	if len(d.Messages) != 5 || len(d.Withheld) != 495 {
		t.Errorf("%d messages and %d withheld, want 5 and 495", len(d.Messages), len(d.Withheld))
	}
	for _, m := range d.Messages {
		if m.User == "u3" || len(m.Jobs) != 20 {
			t.Errorf("%s is told of %d jobs", m.User, len(m.Jobs))
		}
	}
	again := reminders.Decide(rules(), &s, jobs, noon)
	if diff := cmp.Diff(d, again); diff != "" {
		t.Errorf("the same look decides otherwise: %s", diff)
	}
}

// What came of reminders: idle time goes on by what readings add, and ends by work or with the job.
func TestProgress(t *testing.T) {
	s := reminders.State{
		Open:     []int64{1, 2, 3, 4},
		Spells:   []reminders.Spell{spell(1, "a", noon.Add(-time.Hour), noon.Add(-5*time.Minute)), spell(1, "b", noon.Add(-time.Hour), noon.Add(-4*time.Minute))},
		Readings: []reminders.Reading{idle(1, "a", noon, 30), idle(1, "b", noon, 30), idle(2, "a", noon, 2), idle(3, "a", noon.Add(-6*time.Minute), 0)},
	}
	want := []reminders.Progress{{1, 9 * time.Minute, reminders.OutcomeIdle}, {2, 0, reminders.OutcomeBusy}, {3, 0, reminders.OutcomeIdle}, {4, 0, reminders.OutcomeEnded}}
	if diff := cmp.Diff(want, reminders.Decide(rules(), &s, []slurm.Job{job(1), job(2), job(3)}, noon).Progress); diff != "" {
		t.Error(diff)
	}
}

// Addresses are the job's own where they are the site's, and nothing that a header or a stranger could suffer from.
func TestAddresses(t *testing.T) {
	for mailUser, want := range map[string]string{
		"":                                    "ann@example.org",
		"ann":                                 "ann@example.org",
		"ann.lee":                             "ann.lee@example.org",
		"lab@example.org":                     "lab@example.org",
		"lab@EXAMPLE.org":                     "lab@EXAMPLE.org",
		"lab@uni.edu":                         "lab@uni.edu",
		"victim@elsewhere.com":                "ann@example.org",
		"lab@example.org\r\nBcc: x@a.b":       "ann@example.org",
		"a@b@example.org":                     "ann@example.org",
		"\"x y\"@example.org":                 "ann@example.org",
		"a,b@example.org":                     "ann@example.org",
		"-oQ/tmp@example.org":                 "ann@example.org",
		strings.Repeat("x", 300) + "@uni.edu": "",
	} {
		r := rules()
		r.OtherMailDomains = []string{"uni.edu"}
		d := reminders.Decide(r, &reminders.State{Readings: []reminders.Reading{idle(7, "a", noon, 30)}}, []slurm.Job{job(7, func(j *slurm.Job) { j.MailUser = mailUser })}, noon)
		if len(d.Messages) != 1 || d.Messages[0].Address != want {
			t.Errorf("mail_user %.40q: %+v, want %q", mailUser, d.Messages, want)
		}
	}
}

// A hostile name stays one line of text, and out of the subject.
func TestHostileNames(t *testing.T) {
	evil := "x\r\nBcc: all@example.org\r\n\r\n\x1b[2J" + strings.Repeat("y", 5000)
	j := job(7, func(j *slurm.Job) { j.Name, j.Account = evil, "a\nb" })
	d := reminders.Decide(rules(), &reminders.State{Readings: []reminders.Reading{idle(7, "a", noon, 30)}}, []slurm.Job{j}, noon)
	m := d.Messages[0]
	if strings.ContainsAny(m.Subject, "\r\n\x1b") || strings.ContainsAny(m.Text, "\r\x1b") || strings.Contains(m.Text, "\nBcc") || len(m.Text) > 2000 {
		t.Errorf("subject %q, text %q", m.Subject, m.Text)
	}
	want := `Hello ann,

GPUs that you hold on cluster c1 are idle: less than 1 % busy in every reading.

  job 7 (train), partition gpu: 1 of 1 measured GPU, since 2026-06-01 11:30 UTC (30m)

Is it done, or stuck? Then end it, so that others can use the GPUs: scancel 7
What was measured: fairbridge job 7

Nothing was done to your jobs: this only tells you. Once for each job you are told
after 30m, 2h, 8h of idleness.
To hear nothing of a job: sbatch --comment=fairbridge:quiet, or of one that runs
scontrol update jobid=7 comment=fairbridge:quiet
`
	d = reminders.Decide(rules(), &reminders.State{Readings: []reminders.Reading{idle(7, "a", noon, 30)}}, []slurm.Job{job(7)}, noon)
	if diff := cmp.Diff(want, d.Messages[0].Text); diff != "" {
		t.Error(diff)
	}
}
