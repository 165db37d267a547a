package remind

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"fairbridge/accounting/dbtest"
	"fairbridge/cmd/settings"
)

// A mailbox that is turned away for now, whose owner comes first at every look, keeps no other owner from being told,
// and is told once it takes mail.
func TestOneMailboxStopsNoOther(t *testing.T) {
	for _, verb := range []string{"RCPT TO:<ann@example.org>", "DATA"} {
		t.Run(verb, func(t *testing.T) {
			r, server := newRig(t), newMailServer(t, nil)
			r.addJob(t, 8, "bob", 3, 3)
			server.setReply(verb, "452 4.2.2 <ann@example.org> is full")
			s := r.service(t, noon, func(x *settings.Reminders) { x.MailServer = server.address })
			for range 2 {
				must(t, r.look(t, s))
			}
			mails, heard := server.received()
			if want := 1 - strings.Count(verb, "DATA"); len(mails) != want || !slices.Contains(heard, "RCPT TO:<bob@example.org>") {
				t.Errorf("%d mails, want %d; heard %q", len(mails), want, heard)
			}
			if n := strings.Count(r.log.String(), "user=ann"); n != 1 || strings.Contains(r.log.String(), "ann@") || !strings.Contains(r.log.String(), ": 452 4.2.2") {
				t.Errorf("logged %d times, want once and without the address: %s", n, &r.log)
			}
			server.mu.Lock()
			clear(server.reply)
			server.mu.Unlock()
			must(t, r.look(t, s))
			if mails, _ := server.received(); len(mails) != 2 {
				t.Errorf("%d mails once all is well, want 2", len(mails))
			}
		})
	}
}

// A server that is away, or takes no mail of ours, is asked for one message of a look, not for each.
func TestAServerThatIsAwayIsAskedForOneMessage(t *testing.T) {
	r, server := newRig(t), newMailServer(t, nil)
	r.addJob(t, 8, "bob", 3, 3)
	server.setReply("MAIL", "451 4.3.0 later")
	s := r.service(t, noon, func(x *settings.Reminders) { x.MailServer = server.address })
	if err := r.look(t, s); err == nil || !strings.Contains(err.Error(), "refuses the sender") {
		t.Errorf("the look ends with %v", err)
	}
	_, heard := server.received()
	if n := len(slices.DeleteFunc(heard, func(line string) bool { return !strings.HasPrefix(line, "MAIL") })); n != maxTries {
		t.Errorf("asked %d times, want %d", n, maxTries)
	}
	if n := dbtest.CountRows(t, r.db, "select from fairbridge.idle_messages"); n != 0 {
		t.Errorf("%d claims are left", n)
	}
}

// One channel that is away keeps the other from no owner.
func TestAChannelThatIsAwayStopsNoOther(t *testing.T) {
	r, got := newRig(t), 0
	r.addJob(t, 8, "bob", 3, 3)
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { got++ }))
	defer server.Close()
	s := r.service(t, noon, func(x *settings.Reminders) {
		x.MailServer, x.WebhookURL, x.WebhookSecretFile = "127.0.0.1:1", server.URL, secretFile(t, secret)
	})
	must(t, r.look(t, s))
	if n := dbtest.CountRows(t, r.db, "select from fairbridge.idle_messages where state = 'sent' and sent_by = '{webhook}' and error like 'connecting to mail server%'"); got != 2 || n != 2 {
		t.Errorf("%d requests, want 2: %s", got, dbtest.DumpTable(t, r.db, "idle_messages"))
	}
}

// What is kept and logged of a refusal has neither the owner's address nor the server's words, which repeat it.
func TestNoAddressIsKept(t *testing.T) {
	for name, c := range map[string]struct{ verb, reply, want string }{
		"refused":     {"RCPT", "550 5.1.1 <ann@example.org>: unknown", " refuses the recipient: 550 5.1.1"},
		"bare":        {"RCPT", "550 no ann@example.org here", " refuses the recipient: 550"},
		"several":     {"RCPT", "550-5.1.1 ann@example.org\r\n550 5.1.1 is unknown", " refuses the recipient: 550 5.1.1"},
		"no text":     {"DATA", "554 5.5.1 no valid recipient but ann@example.org", " takes no text: 554 5.5.1"},
		"at the end":  {"END", "554 5.7.1 ann@example.org wants none", ": 554 5.7.1"},
		"not of SMTP": {"END", "what? ann@example.org", ": its answer is none of SMTP"},
	} {
		t.Run(name, func(t *testing.T) {
			r, server := newRig(t), newMailServer(t, nil)
			server.setReply(c.verb, c.reply)
			s := r.service(t, noon, func(x *settings.Reminders) { x.MailServer = server.address })
			must(t, r.look(t, s))
			kept := dbtest.QueryTexts(t, r.db, "select error from fairbridge.idle_messages where state = 'failed'")
			if len(kept) != 1 || !strings.HasSuffix(kept[0], server.address+c.want) {
				t.Errorf("kept %q, want ...%s", kept, c.want)
			}
			if strings.Contains(r.log.String(), "ann@") || !strings.Contains(r.log.String(), "user=ann") {
				t.Errorf("log: %s", &r.log)
			}
		})
	}
}
