package oracle

import (
	"context"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/invariant"
	"fairbridge/bridge/slurm"
	"fairbridge/gear/chaos/site"
	"fairbridge/policy"
	"fairbridge/replica/sim"
)

// TestEverySentenceIsJudged: an invariant without a rule here would hold in every
// trial.
func TestEverySentenceIsJudged(t *testing.T) {
	var all strings.Builder
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		text, err := os.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	for _, x := range invariant.All {
		if !strings.Contains(all.String(), strconv.Quote(string(x.ID))) {
			t.Errorf("no rule breaks %s: %s", x.ID, x.Text)
		}
	}
}

// empty is a database that nothing was written to, and that daemon1 leads.
type empty struct{}

func (empty) Intents(context.Context, string, time.Time, time.Time) ([]bridge.Intent, error) {
	return nil, nil
}

func (empty) Past(context.Context, string, time.Time) (*bridge.Past, error) {
	return &bridge.Past{}, nil
}

func (empty) Leader() (holder string, epoch int64, until time.Time) {
	return site.ProcessNames[0], 1, time.Time{}
}

// judged is a site with one job, and an oracle.
type judged struct {
	*Oracle
	job int64
}

func judge(t *testing.T, spec sim.JobSpec, known func(Breach) bool) *judged {
	t.Helper()
	s := site.DrawSite(1, 1)
	s.Mode, s.SlurmRelease, s.OrderLever = bridge.ModePreempt, "26.05.5", bridge.LeverAuto
	s.SharesGPUs, s.NodeCount, s.GPUsPerNode = false, 4, 4
	o := &judged{}
	w, err := s.NewWorld(sim.Config{Audit: func(w sim.AuditEntry) { o.NoteWrite(w) }})
	if err != nil {
		t.Fatal(err)
	}
	o.Oracle = New(Trial{
		Site: s, World: w, Database: empty{}, IsKnownBreach: known, OnBreach: func(Breach) {},
		NewPolicy:     func() (policy.Policy, error) { return nil, nil },
		StopFileState: func() (time.Time, bool) { return time.Time{}, false },
	})
	spec.User, spec.Account, spec.WorkTime, spec.TimeLimit = "ann", "a0", time.Hour, time.Hour
	if spec.GPUsPerNode == 0 {
		spec.GPUs = 1
	}
	if o.job, err = w.Submit(spec); err != nil {
		t.Fatal(err)
	}
	return o
}

// rules are those that are broken.
func (o *judged) rules() []string {
	var out []string
	for _, b := range o.Verdict().Breaches {
		out = append(out, b.Rule)
	}
	return out
}

// daemon is one that has just looked.
func (o *judged) daemon(t *testing.T) *Daemon {
	t.Helper()
	d := &Daemon{Name: site.ProcessNames[0]}
	d.NoteStart()
	d.NoteStep()
	v, err := sim.DirectCluster{World: o.World}.Observe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	d.TrueView = v
	d.NoteView(v, 0, &o.Site.Budgets)
	o.NoteJobReread(d, o.job)
	return d
}

func TestWritesOfOurs(t *testing.T) {
	nice := slurm.Edit{Kind: slurm.EditNice, Value: 7}
	for _, c := range []struct {
		name string
		spec sim.JobSpec
		do   func(*judged, *Daemon)
		want string
	}{
		{"a write that no edit asked for", sim.JobSpec{}, func(o *judged, d *Daemon) {
			_ = o.World.Update(d.Name, o.job, sim.JobUpdate{Nice: sim.Ptr(int64(7))})
		}, "I2"},
		{"an edit that writes another field", sim.JobSpec{}, func(o *judged, d *Daemon) {
			k := &Call{SentBy: d, Edit: nice}
			k.Edit.Run.Job = o.job
			defer o.StartCall(k)()
			_ = o.World.Update(d.Name, o.job, sim.JobUpdate{BeginTime: sim.Ptr(o.World.Now().Add(time.Hour))})
		}, "I2"},
		{"an edit of a held job", sim.JobSpec{Hold: true}, func(o *judged, d *Daemon) {
			k := &Call{SentBy: d, Edit: nice}
			k.Edit.Run.Job = o.job
			o.CheckSend(k)
		}, "I1"},
		{"an edit that is not in the ledger", sim.JobSpec{}, func(o *judged, d *Daemon) {
			k := &Call{SentBy: d, Edit: nice}
			k.Edit.Run.Job = o.job
			o.CheckSend(k)
		}, "journal"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := judge(t, c.spec, nil)
			c.do(o, o.daemon(t))
			if !slices.Contains(o.rules(), c.want) {
				t.Errorf("%v are broken, want %s", o.Verdict().Breaches, c.want)
			}
		})
	}
}

// TestPeopleMayWrite: what an owner does is no breach, and is known from then on.
func TestPeopleMayWrite(t *testing.T) {
	o := judge(t, sim.JobSpec{}, nil)
	if err := o.World.Update("ann", o.job, sim.JobUpdate{Nice: sim.Ptr(int64(40))}); err != nil {
		t.Fatal(err)
	}
	if got := o.jobBook.entryByJob[o.job].stateByField[FieldNice].ownersValue; got != "40" || o.HasBreach() {
		t.Errorf("the owner's nice is %q, broken: %v", got, o.Verdict().Breaches)
	}
}

func TestKnownBreachesAreCountedByCause(t *testing.T) {
	o := judge(t, sim.JobSpec{}, func(b Breach) bool { return b.Rule == "I8" && b.Cause == CauseLostAnswer })
	o.AddBreach("I8", o.job, "without that cause")
	o.addBreachOf(CauseLostAnswer, "I8", o.job, "with it")
	o.addBreachOf(CauseLostAnswer, "I9", o.job, "another rule")
	if v := o.Verdict(); v.KnownCountByCause[CauseLostAnswer] != 1 || !slices.Equal(o.rules(), []string{"I8", "I9"}) {
		t.Errorf("known %v, breaches %v", v.KnownCountByCause, v.Breaches)
	}
}

// TestExcusesAreCounted where they let a breach pass, and nowhere else: an edit of a held job is excused by a hold
// that came after our reading.
func TestExcusesAreCounted(t *testing.T) {
	for held, want := range map[bool]int{true: 1, false: 0} {
		o := judge(t, sim.JobSpec{}, nil)
		d := &Daemon{Name: "daemon1"}
		d.NoteStart()
		d.TrueView = &slurm.View{}
		j := o.actualJob(o.job)
		o.NoteJobReread(d, o.job)
		s := &sendContext{
			Call:   &Call{SentBy: d, Edit: slurm.Edit{Run: j.CurrentRun(), Kind: slurm.EditNice}},
			oracle: o.Oracle, job: j, jobEntry: o.jobBook.entryForJob(j), wasChangedAfterReread: true,
		}
		j.IsHeld = held
		s.countExcuses(rule{"I1", checkNotHeld})
		if got := o.Verdict().ExcuseCountByName; got[ExcuseChangedSince] != want || len(got) != want {
			t.Errorf("held %t: %v", held, got)
		}
	}
}

// TestWrittenAgain: a field is not written twice at once, but for a daemon that
// cannot know what another sent late, on its old leave.
func TestWrittenAgain(t *testing.T) {
	for _, c := range []struct {
		name    string
		late    bool
		another bool
		want    bool
	}{
		{"twice", false, false, true},
		{"after another daemon", false, true, true},
		{"after its own late call", true, false, true},
		{"after another daemon's late call", true, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := judge(t, sim.JobSpec{}, nil)
			k := &Call{SentBy: o.daemon(t), Edit: slurm.Edit{Kind: slurm.EditNice, Value: 7}, IsLate: c.late}
			k.Edit.Run.Job = o.job
			o.CheckSend(k)
			again := &Call{SentBy: k.SentBy, Edit: k.Edit}
			if again.Edit.Value++; c.another {
				again.SentBy = o.daemon(t)
			}
			o.CheckSend(again)
			if got := slices.Contains(o.rules(), "I10"); got != c.want {
				t.Errorf("I10 is broken: %t, want %t: %v", got, c.want, o.Verdict().Breaches)
			}
		})
	}
}

// TestEveryRestoreLosesWhatItLoses: the database was put back twice. It still does not know what
// the first time lost, and knows what was written between the two.
func TestEveryRestoreLosesWhatItLoses(t *testing.T) {
	start := time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)
	now := start
	l := ledger{now: func() time.Time { return now }}
	for _, x := range []struct{ point, at time.Duration }{{25 * time.Minute, 39 * time.Minute}, {65 * time.Minute, 79 * time.Minute}} {
		now = start.Add(x.at)
		l.noteRestored(start.Add(x.point))
	}
	for minute, want := range map[int]bool{24: false, 25: true, 36: true, 39: false, 50: false, 65: true, 78: true, 79: false} {
		if got := l.lostSpans.has(start.Add(time.Duration(minute) * time.Minute)); got != want {
			t.Errorf("written in minute %d: lost %v, want %v", minute, got, want)
		}
	}
}

// TestWhatNobodyCouldRead: a begin time that its owner sets between our read and our write is gone
// from Slurm, which has no update on condition. What we had read in its place still binds us, and
// so does what the owner sets where we can read it.
func TestWhatNobodyCouldRead(t *testing.T) {
	for _, c := range []struct {
		name                 string
		hadBegin             time.Duration // the owner's begin time as we first read it
		reads                bool          // we read between the owner's change and our write
		setsAgain, callFails bool          // the owner sets it again; our write does not arrive
		want                 bool
	}{
		{name: "set between our read and our write", want: false},
		{name: "set before our read", reads: true, want: true},
		{name: "set between, and another read before", hadBegin: 15 * time.Minute, want: true},
		{name: "set between, and over already when read before", hadBegin: 3 * time.Minute, want: false},
		{name: "set between and once more", setsAgain: true, want: true},
		{name: "set between, and our write is lost", callFails: true, want: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			spec := sim.JobSpec{}
			if c.hadBegin > 0 {
				spec.BeginTime = time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC).Add(c.hadBegin) // the simulation starts at 0:00
			}
			o := judge(t, spec, nil)
			ownerSets := func() {
				if err := o.World.Update("ann", o.job, sim.JobUpdate{BeginTime: sim.Ptr(o.World.Now().Add(time.Hour))}); err != nil {
					t.Fatal(err)
				}
			}
			lease := func(d *Daemon) *Call {
				k := &Call{SentBy: d, Edit: slurm.Edit{Kind: slurm.EditLease, Until: o.World.Now().Add(4 * time.Minute)}}
				k.Edit.Run.Job = o.job
				return k
			}
			d := o.daemon(t)
			ownerSets()
			if c.reads {
				o.NoteJobReread(d, o.job)
			}
			if !c.callFails {
				k := lease(d)
				end := o.StartCall(k)
				if err := o.World.Update(d.Name, o.job, sim.JobUpdate{BeginTime: &k.Edit.Until}); err != nil {
					t.Fatal(err)
				}
				end()
			}
			if c.setsAgain {
				ownerSets()
			}
			o.World.Advance(o.World.Now().Add(5 * time.Minute))
			o.CheckSend(lease(o.daemon(t)))
			if got := slices.Contains(o.rules(), "I4"); got != c.want {
				t.Errorf("I4 is broken: %t, want %t: %v", got, c.want, o.Verdict().Breaches)
			}
		})
	}
}
