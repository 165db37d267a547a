package remind

import (
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"io"
	"log/slog"
	"mime/quotedprintable"
	"net/http/httptest"
	"net/mail"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fairbridge/accounting"
	"fairbridge/accounting/dbtest"
	"fairbridge/accounting/journal"
	store "fairbridge/accounting/reminders"
	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/bridge/reminders"
	"fairbridge/bridge/slurm"
	"fairbridge/cmd/settings"
)

var (
	noon = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	must = dbtest.RequireNoError
)

const secret = "0123456789abcdef-secret"

func secretFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "secret")
	must(t, os.WriteFile(path, []byte(text+"\n"), 0o600))
	return path
}

// rig is a site of one job, 7 of ann, whose two GPUs are idle for half an hour.
type rig struct {
	db    *accounting.DB
	epoch int64
	jobs  []slurm.Job
	log   bytes.Buffer
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{db: dbtest.NewDB(t)}
	dbtest.Exec(t, r.db, "select fairbridge.add_sample_day(($1::timestamptz at time zone 'UTC')::date)", noon)
	r.epoch = r.lead(t, "a")
	r.addJob(t, 7, "ann", 1, 2)
	return r
}

// addJob adds one whose GPUs, from the first to the last, are idle for half an hour.
func (r *rig) addJob(t *testing.T, id int64, user string, first, last int) {
	t.Helper()
	dbtest.Exec(t, r.db, "insert into fairbridge.gpus (id, cluster, node, uuid, gpu_type) overriding system value select k, 'c1', 'n1', 'g' || k, 'a100' from generate_series($1::int, $2::int) k", first, last)
	dbtest.Exec(t, r.db, `insert into fairbridge.job_runs (cluster, job, submit, restarts, arrive, sluid, name, user_name, account, qos, partition, array_job, array_task, state, reason, time_limit, gpus, started, ended, closed, exact, first_seen, last_change, digest)
		values ('c1', $2, 1, 0, $1::timestamptz - interval '5 hours', '', 'x', $3, 'vision', 'normal', 'gpu', 0, 0, 'RUNNING', '', interval '1 day', $4, $1::timestamptz - interval '4 hours', null, false, true, $1, $1, 1)`, noon, id, user, last-first+1)
	dbtest.Exec(t, r.db, "insert into fairbridge.gpu_readings (at, job, gpu, busy, procs, sharing, sick) select $1::timestamptz - m * interval '1 minute', $2::bigint, k, 0, 1, 1, false from generate_series(0, 29) m, generate_series($3::int, $4::int) k", noon, id, first, last)
	r.jobs = append(r.jobs, slurm.Job{ID: id, Name: "train\r\nBcc: all@example.org", User: user, Account: "vision", Partitions: []string{"gpu"}, State: "RUNNING", IsBatch: true, Start: noon.Add(-4 * time.Hour)})
}

func (r *rig) lead(t *testing.T, who string) int64 {
	t.Helper()
	epoch, _, _, err := (&journal.Store{DB: r.db}).Lead(t.Context(), "c1", who, time.Hour)
	must(t, err)
	return epoch
}

// service is one as after a start of the daemon: it remembers nothing.
func (r *rig) service(t *testing.T, at time.Time, change func(*settings.Reminders)) *Service {
	t.Helper()
	f := settings.NewDefaultFile()
	f.Cluster, f.Partitions = "c1", []settings.Partition{{Name: "gpu"}}
	f.Reminders.After = []time.Duration{20 * time.Minute, 2 * time.Hour}
	f.Reminders.MailTLS, f.Reminders.MailFrom, f.Reminders.MailDomain = "none", "fairbridge@example.org", "example.org"
	change(&f.Reminders)
	s, err := New(f, &store.Store{DB: r.db}, prometheus.NewRegistry(), slog.New(slog.NewTextHandler(&r.log, nil)))
	must(t, err)
	s.now, s.pause = func() time.Time { return at }, time.Millisecond
	for _, c := range s.channels {
		if m, ok := c.(*mailer); ok {
			m.now = s.now
		}
	}
	return s
}

func (r *rig) look(t *testing.T, s *Service) error {
	t.Helper()
	return s.look(t.Context(), seenCycle{r.epoch, r.jobs})
}

// The owner gets one mail, whose headers no job's name can add to; after a restart and after another daemon took over
// none; and the next look finds it told.
func TestMailIsSentOnce(t *testing.T) {
	r, server := newRig(t), newMailServer(t, nil)
	start := func() *Service {
		return r.service(t, noon, func(x *settings.Reminders) { x.MailServer = server.address })
	}
	for range 2 {
		must(t, r.look(t, start()))
	}
	must(t, (&journal.Store{DB: r.db}).Resign(t.Context(), "c1", "a"))
	deposed := r.epoch
	r.epoch = r.lead(t, "b")
	must(t, r.look(t, start()))
	r.epoch = deposed
	if err := r.look(t, start()); !errors.Is(err, bridge.ErrFenced) {
		t.Errorf("who was deposed looks: %v", err)
	}
	mails, _ := server.received()
	if len(mails) != 1 {
		t.Fatalf("%d mails, want 1; log: %s", len(mails), &r.log)
	}
	m, err := mail.ReadMessage(strings.NewReader(mails[0]))
	must(t, err)
	if m.Header.Get("Bcc") != "" || m.Header.Get("To") != "ann@example.org" || m.Header.Get("Auto-Submitted") != "auto-generated" || m.Header.Get("Subject") != "[fairbridge] job 7: 2 GPUs idle for 20m" {
		t.Errorf("headers: %v", m.Header)
	}
	body, err := io.ReadAll(quotedprintable.NewReader(m.Body))
	must(t, err)
	if !strings.Contains(string(body), "2 of 2 measured GPUs") || strings.Contains(string(body), "\nBcc") {
		t.Errorf("text: %s", body)
	}
}

// While the server is away, or turns mail away for now, no step is lost; what was refused for good, or of which it is
// not known whether it arrived, is not sent again.
func TestMailThatFails(t *testing.T) {
	for name, c := range map[string]struct {
		verb, reply string
		wantMails   int // after another look, when all is well again
	}{
		"greylisted":           {"RCPT", "450 later", 1},
		"no such user":         {"RCPT", "550 no", 0},
		"sender refused":       {"MAIL", "451 later", 1},
		"no text now":          {"DATA", "451 later", 1},
		"refused at the end":   {"END", "554 spam", 1}, // the server of this test kept it: it came once
		"not known at the end": {"END", "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			r, server := newRig(t), newMailServer(t, nil)
			server.setReply(c.verb, c.reply)
			if c.reply == "" {
				server.setReply("END", "999")
			}
			s := r.service(t, noon, func(x *settings.Reminders) { x.MailServer = server.address })
			_ = r.look(t, s)
			server.mu.Lock()
			clear(server.reply)
			server.mu.Unlock()
			must(t, r.look(t, s))
			must(t, r.look(t, s))
			if mails, heard := server.received(); len(mails) != c.wantMails {
				t.Errorf("%d mails, want %d; heard %q", len(mails), c.wantMails, heard)
			}
		})
	}
	r, s := newRig(t), (*Service)(nil)
	s = r.service(t, noon, func(x *settings.Reminders) { x.MailServer = "127.0.0.1:1" })
	if err := r.look(t, s); err == nil || !strings.Contains(err.Error(), "connecting to mail server 127.0.0.1:1") {
		t.Errorf("a server that is away: %v", err)
	}
	if n := dbtest.CountRows(t, r.db, "select from fairbridge.idle_messages"); n != 0 {
		t.Errorf("%d claims are left of mails that cannot have been sent", n)
	}
}

// With starttls a server that does not offer it gets neither mail nor password, and one with an unknown certificate neither.
func TestMailIsSecure(t *testing.T) {
	certificates := httptest.NewTLSServer(nil)
	defer certificates.Close()
	ca := x509.NewCertPool()
	ca.AddCert(certificates.Certificate())
	msg := &reminders.Message{ID: 1, Cluster: "c1", User: "ann", Address: "ann@example.org", Text: "x\n"}
	for name, c := range map[string]struct {
		offers, knows, wantOK bool
	}{"offered": {true, true, true}, "not offered": {false, true, false}, "unknown certificate": {true, false, false}} {
		t.Run(name, func(t *testing.T) {
			server := newMailServer(t, nil)
			if c.offers {
				server = newMailServer(t, certificates.TLS)
			}
			m := &mailer{server: server.address, security: "starttls", user: "fb", passwordFile: secretFile(t, secret), from: "fairbridge@example.org", now: time.Now}
			if c.knows {
				m.authorities = ca
			} else {
				m.authorities = x509.NewCertPool()
			}
			server.setReply("AUTH", "235 welcome")
			err := m.send(t.Context(), msg)
			mails, heard := server.received()
			if (err == nil) != c.wantOK || (len(mails) == 1) != c.wantOK {
				t.Errorf("%v, %d mails", err, len(mails))
			}
			if said := strings.Join(heard, "\n"); strings.Contains(said, "AUTH") != c.wantOK {
				t.Errorf("heard %s", said)
			}
		})
	}
}

// Only cycles that lead and whose view is believed are looked at, and not more often than every five minutes.
func TestCyclesThatAreLookedAt(t *testing.T) {
	s := &Service{now: func() time.Time { return noon }, cycles: make(chan seenCycle, 1)}
	view := &slurm.View{Jobs: []slurm.Job{{ID: 1, State: "RUNNING"}, {ID: 2, State: "PENDING"}}}
	for name, r := range map[string]*cycle.Report{
		"standby": {View: view}, "not believed": {Epoch: 1}, "cut": {Epoch: 1, View: view, Result: cycle.ResultCutShort},
	} {
		if s.NoteCycle(r); len(s.cycles) != 0 {
			t.Errorf("%s is looked at", name)
		}
	}
	s.NoteCycle(&cycle.Report{Epoch: 3, View: view})
	if c := <-s.cycles; c.epoch != 3 || len(c.jobs) != 1 {
		t.Errorf("handed over: %+v", c)
	}
	if s.NoteCycle(&cycle.Report{Epoch: 3, View: view}); len(s.cycles) != 0 {
		t.Error("it is looked at again at once")
	}
	(*Service)(nil).NoteCycle(&cycle.Report{Epoch: 3, View: view})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	must(t, s.Run(ctx))
}

// A fault of ours in a look is an error of that look.
func TestAPanicIsNoEndOfTheDaemon(t *testing.T) {
	s := &Service{now: func() time.Time { return noon }} // it has no store
	if err := s.look(t.Context(), seenCycle{}); err == nil || !strings.Contains(err.Error(), "panic") {
		t.Error(err)
	}
}
