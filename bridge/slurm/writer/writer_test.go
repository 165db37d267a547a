package writer

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/bridge/slurm"
)

func TestGuardRefusesWrites(t *testing.T) {
	stop := filepath.Join(t.TempDir(), "STOP")
	for _, c := range []struct {
		name    string
		version int
		cfg     Config
		prepare func(*Writer)
		want    error
	}{
		{name: "STOP file", version: 42, cfg: Config{StopFile: stop}, want: ErrStopFile,
			prepare: func(*Writer) { _ = os.WriteFile(stop, nil, 0o600) }},
		{name: "STOP file cannot be looked at", version: 42, cfg: Config{StopFile: stop + "\x00"}, want: ErrStopFile},
		{name: "not the leader", version: 42, want: ErrNotLeader,
			cfg: Config{CheckMayWrite: func(context.Context) error { return errors.New("epoch 4 is over") }}},
		{name: "nobody says so", version: 42, prepare: func(d *Writer) { d.guard.checkMayWrite = nil }, want: ErrNotLeader},
		{name: "unknown version", version: 46, want: ErrReadOnlyAPI},
	} {
		for _, kind := range []slurm.EditKind{slurm.EditNice, slurm.EditRequeue, slurm.EditHandBackPriority, slurm.EditSetGPUs} {
			f := &fake{job: record(45, "PENDING", `,"tres_per_node":"gres/gpu:4"`)}
			if kind == slurm.EditRequeue {
				f.job = record(45, "RUNNING", "")
			}
			d := open(t, f, c.version, c.cfg)
			d.commands.scontrol = []string{"false"}
			if c.prepare != nil {
				c.prepare(d)
			}
			err := d.ApplyEdit(t.Context(), slurm.Edit{Run: run(7), Kind: kind, Value: 2})
			if !errors.Is(err, c.want) || classOf(err) != slurm.ErrorForbidden || len(f.writes) != 0 || d.WriteCount() != 0 {
				t.Errorf("%s, %s: %v, wrote %q (%d)", c.name, kind, err, f.writes, d.WriteCount())
			}
		}
	}
}

func TestImpossibleEditsAreNotSent(t *testing.T) {
	f := &fake{job: record(45, "PENDING", "")}
	d := open(t, f, 45, Config{})
	for _, e := range []slurm.Edit{
		{Run: run(0), Kind: slurm.EditNice},
		{Run: run(-1), Kind: slurm.EditNice},
		{Run: run(1 << 40), Kind: slurm.EditNice},
		{Run: slurm.Run{Job: 7, SLUID: `x"},"hold":false,"y":{"`}, Kind: slurm.EditNice},
		{Run: run(7), Kind: "cancel"},
		{Run: run(7), Kind: slurm.EditPriority, Value: 0},
		{Run: run(7), Kind: slurm.EditPriority, Value: 4294967295},
		{Run: run(7), Kind: slurm.EditPriority, Value: 4294967294},
		{Run: run(7), Kind: slurm.EditSiteFactor, Value: 3_000_000_000},
		{Run: run(7), Kind: slurm.EditSiteFactor, Value: -3_000_000_000},
		{Run: run(7), Kind: slurm.EditLease, Until: noon},
		{Run: run(7), Kind: slurm.EditLease},
		{Run: run(7), Kind: slurm.EditLease, Until: noon.Add(2 * time.Hour)},
		{Run: run(7), Kind: slurm.EditRequireNodes, Nodes: []string{""}},
		{Run: run(7), Kind: slurm.EditExcludeNodes, Nodes: []string{"n[1-4]"}},
		{Run: run(7), Kind: slurm.EditExcludeNodes, Nodes: []string{"n1,n2"}},
		{Run: run(7), Kind: slurm.EditHardHold},
		{Run: run(7), Kind: slurm.EditSetGPUs, Value: 0},
		{Run: run(7), Kind: slurm.EditRequeue, Array: "7_1; scontrol shutdown"},
		{Run: run(7), Kind: slurm.EditRequeue, Array: "-h"},
		{Run: run(7), Kind: slurm.EditAdminComment, Text: "checked by ops"},
		{Run: run(7), Kind: slurm.EditAdminComment, Text: "fairbridge 2 Mar 12:00 UTC: waits\nPriority=0"},
		{Run: run(7), Kind: slurm.EditAdminComment, Text: "fairbridge 2 Mar 12:00 UTC: waits; a=$(id)"},
		{Run: run(7), Kind: slurm.EditAdminComment, Text: "fairbridge 2 Mar 12:00 UTC: " + strings.Repeat("w", 93)},
	} {
		if err := d.ApplyEdit(t.Context(), e); classOf(err) != slurm.ErrorBadRequest || len(f.writes) != 0 {
			t.Errorf("%v: %v, wrote %q", e, err, f.writes)
		}
	}
}

func TestRequeue(t *testing.T) {
	array := `,"array_job_id":{"set":true,"infinite":false,"number":7},"array_task_id":{"set":true,"infinite":false,"number":3}`
	unsplit := `,"array_job_id":{"set":true,"infinite":false,"number":7},"array_task_id":{"set":false,"infinite":false,"number":0},"array_task_string":"0-9"`
	for _, c := range []struct {
		name          string
		version       int
		sluid         bool
		array, record string
		class         slurm.ErrorClass
		want          []string
	}{
		{name: "by SLUID", version: 45, sluid: true,
			want: []string{`POST /slurm/v0.0.45/jobs/requeue {"jobs":["` + id + `"],"flags":["Incomplete"]}`}},
		{name: "without SLUID", version: 45, record: record(42, "RUNNING", ""),
			want: []string{`POST /slurm/v0.0.45/jobs/requeue {"jobs":["7"],"flags":["Incomplete"]}`}},
		{name: "by scontrol", version: 42, record: record(42, "RUNNING", ""), want: []string{"requeue Incomplete 7"}},
		{name: "by scontrol, which takes no SLUID", version: 44, sluid: true, record: record(44, "RUNNING", ""),
			want: []string{"requeue Incomplete 7"}},
		{name: "by scontrol, old", version: 38, record: record(38, "RUNNING", ""), want: []string{"requeue Incomplete 7"}},
		{name: "a task whose id is the array's", version: 42, record: record(42, "RUNNING", array), want: []string{"requeue Incomplete 7_3"}},
		{name: "a task, addressed", version: 42, array: "7_3", record: record(42, "RUNNING", array), want: []string{"requeue Incomplete 7_3"}},
		{name: "another task", version: 42, array: "7_4", record: record(42, "RUNNING", array), class: slurm.ErrorJobChanged},
		{name: "several tasks", version: 42, record: record(42, "RUNNING", unsplit), class: slurm.ErrorBadRequest},
		{name: "finished", version: 42, record: record(42, "COMPLETED", ""), class: slurm.ErrorJobChanged},
		{name: "pending", version: 42, record: record(42, "PENDING", ""), class: slurm.ErrorJobChanged},
		{name: "another run", version: 42, record: strings.Replace(record(42, "RUNNING", ""), `"restart_cnt":0`, `"restart_cnt":1`, 1), class: slurm.ErrorJobChanged},
	} {
		f := &fake{job: c.record}
		log := filepath.Join(t.TempDir(), "log")
		d := open(t, f, c.version, Config{Scontrol: []string{"sh", "-c", `echo "$@" >>` + log, "scontrol"}})
		r := run(7)
		if !c.sluid {
			r.SLUID = ""
		}
		err := d.ApplyEdit(t.Context(), slurm.Edit{Run: r, Kind: slurm.EditRequeue, Array: c.array})
		got := f.writes
		if b, _ := os.ReadFile(log); len(b) > 0 {
			got = append(got, strings.TrimSpace(string(b)))
		}
		if diff := cmp.Diff(c.want, got); classOf(err) != c.class || diff != "" || int(d.WriteCount()) != len(c.want) {
			t.Errorf("%s: %v, %d writes\n%s", c.name, err, d.WriteCount(), diff)
		}
	}
}

func TestScontrolFailures(t *testing.T) {
	for _, c := range []struct {
		script string
		want   slurm.ErrorClass
	}{
		{`echo Invalid job id specified for job 7 >&2; exit 1`, slurm.ErrorJobGone},
		{`echo Access/permission denied for job 7 >&2; exit 1`, slurm.ErrorForbidden},
		{`echo something new >&2; exit 1`, slurm.ErrorOutcomeUnknown},
	} {
		d := open(t, &fake{}, 42, Config{Scontrol: []string{"sh", "-c", c.script}, ScontrolTimeout: time.Hour})
		if err := d.commands.requeue(t.Context(), "7"); classOf(err) != c.want {
			t.Errorf("%s: %v", c.script, err)
		}
	}
	d := open(t, &fake{}, 42, Config{Scontrol: []string{"/nonexistent/scontrol"}})
	if err := d.commands.requeue(t.Context(), "7"); classOf(err) != slurm.ErrorBadRequest {
		t.Error(err)
	}
}

// TestScontrolThatDoesNotEnd: once it runs, stopping it leaves unknown what it
// did; where the time was over before it could be run, it did nothing. How long
// a machine takes to run a program is not known: the limit grows until it did.
func TestScontrolThatDoesNotEnd(t *testing.T) {
	ran := filepath.Join(t.TempDir(), "ran")
	for limit := time.Nanosecond; limit < time.Hour; limit *= 4 {
		d := open(t, &fake{}, 42, Config{Scontrol: []string{"sh", "-c", `: >"$0"; exec sleep 86400`, ran}, ScontrolTimeout: limit})
		err := d.commands.requeue(t.Context(), "7")
		_, unseen := os.Stat(ran)
		switch class := classOf(err); {
		case class == slurm.ErrorOutcomeUnknown && unseen == nil:
			if !strings.Contains(err.Error(), "did not end within "+limit.String()) {
				t.Error(err)
			}
			return
		case unseen == nil || class != slurm.ErrorOutcomeUnknown && class != slurm.ErrorBadRequest:
			t.Fatalf("within %v it ran: %v, and yet: %v", limit, unseen == nil, err)
		}
	}
	t.Error("it was never run")
}

func TestHandBack(t *testing.T) {
	hold, release, nice := holdCall, releaseCall, niceCall
	held := strings.Replace(record(45, "PENDING", ""), `"number":1000`, `"number":0`, 1)
	no := func(bad ...int) func(int, string) (int, string) {
		return func(n int, _ string) (int, string) {
			for _, b := range bad {
				if n == b {
					return 500, `{"errors":[{"error_number":1003,"error":"receive"}]}`
				}
			}
			return 200, yes
		}
	}
	for _, c := range []struct {
		name, job string
		value     int64
		answer    func(int, string) (int, string)
		class     slurm.ErrorClass
		want      []string
	}{
		{name: "free", job: record(45, "PENDING", ""), want: []string{hold, release}},
		{name: "with nice", job: record(45, "PENDING", ""), value: 100, want: []string{hold, release, nice}},
		{name: "held by a person", job: held, class: slurm.ErrorJobChanged},
		{name: "running", job: record(45, "RUNNING", ""), class: slurm.ErrorJobChanged},
		{name: "release answered late", job: record(45, "PENDING", ""), answer: no(2, 3), want: []string{hold, release, release, release}},
		{name: "hold not placed", job: record(45, "PENDING", ""), answer: no(1), class: slurm.ErrorOutcomeUnknown, want: []string{hold}},
		{name: "run over", job: strings.ReplaceAll(record(45, "PENDING", ""), id, "s0N1M7Y39ZNQ99"), class: slurm.ErrorJobChanged},
	} {
		f := &fake{job: c.job, answer: c.answer}
		d := open(t, f, 45, Config{})
		err := d.ApplyEdit(t.Context(), slurm.Edit{Run: run(7), Kind: slurm.EditHandBackPriority, Value: c.value})
		if diff := cmp.Diff(c.want, f.writes); classOf(err) != c.class || diff != "" {
			t.Errorf("%s: %v\n%s", c.name, err, diff)
		}
	}
}

// A hold that Slurm had no time for was not placed: one that is seen then is
// somebody else's, and stays.
func TestAHoldThatWasTurnedDownIsNotOurs(t *testing.T) {
	for _, reply := range []struct {
		status int
		body   string
	}{{500, `{"errors":[{"error_number":2131,"error":"standby"}]}`}, {429, `{}`}} {
		f := &fake{job: record(45, "PENDING", "")}
		f.answer = func(int, string) (int, string) {
			f.job = strings.Replace(record(45, "PENDING", `,"state_reason":"JobHeldAdmin"`), `"number":1000`, `"number":0`, 1)
			return reply.status, reply.body
		}
		d := open(t, f, 45, Config{})
		err := d.ApplyEdit(t.Context(), slurm.Edit{Run: run(7), Kind: slurm.EditHandBackPriority, Value: 100})
		if classOf(err) != slurm.ErrorBusy || len(f.writes) != 1 {
			t.Errorf("%d %s: %v, sent %q", reply.status, reply.body, err, f.writes)
		}
	}
}

// A hand-back whose release fails is finished before anything else is written.
func TestHandBackIsFinishedLater(t *testing.T) {
	down := true
	f := &fake{job: record(45, "PENDING", "")}
	f.answer = func(n int, body string) (int, string) {
		if down && strings.Contains(body, `"hold":false`) {
			return 500, `{"errors":[{"error_number":1003,"error":"receive"}]}`
		}
		return 200, yes
	}
	d := open(t, f, 45, Config{})
	err := d.ApplyEdit(t.Context(), slurm.Edit{Run: run(7), Kind: slurm.EditHandBackPriority})
	if classOf(err) != slurm.ErrorOutcomeUnknown || !strings.Contains(err.Error(), "scontrol release 7") || len(d.unfinishedHandBacks.list()) != 1 {
		t.Fatal(err, d.unfinishedHandBacks.list())
	}
	f.mu.Lock()
	down, f.writes = false, nil
	f.job = strings.Replace(record(45, "PENDING", `,"state_reason":"JobHeldAdmin"`), `"number":1000`, `"number":0`, 1)
	f.mu.Unlock()
	if err := d.ApplyEdit(t.Context(), slurm.Edit{Run: slurm.Run{Job: 8}, Kind: slurm.EditNice, Value: 1}); err != nil {
		t.Fatal(err)
	}
	want := []string{releaseCall, `POST /slurm/v0.0.45/job/8 {"nice":1}`}
	if diff := cmp.Diff(want, f.writes); diff != "" || len(d.unfinishedHandBacks.list()) != 0 {
		t.Error(diff, d.unfinishedHandBacks.list())
	}
}

func TestRate(t *testing.T) {
	d := open(t, &fake{}, 45, Config{Rate: 10})
	start := time.Now()
	for range 13 {
		if err := d.ApplyEdit(t.Context(), slurm.Edit{Run: run(7), Kind: slurm.EditNice}); err != nil {
			t.Fatal(err)
		}
	}
	if took := time.Since(start); took < 250*time.Millisecond {
		t.Errorf("13 writes at 10 a second took %v", took)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := d.ApplyEdit(ctx, slurm.Edit{Run: run(7), Kind: slurm.EditNice}); classOf(err) != slurm.ErrorBusy || d.WriteCount() != 13 {
		t.Errorf("cancelled: %v, %d writes", err, d.WriteCount())
	}
}
