package doctor

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fairbridge/cmd/settings"
)

// What would keep owners from being told is found before they should be: a mail server that is away, a secret that
// everybody may read; where reminders are off nothing is said.
func TestCheckReminders(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	away := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(path, []byte("0123456789abcdef"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o644); err != nil { // whatever the umask
		t.Fatal(err)
	}
	r := &settings.Reminders{MailServer: away, MailTLS: "none", WebhookURL: "https://h.example.org/T0KEN", WebhookSecretFile: path}
	if found := checkReminders(t.Context(), r); found != nil {
		t.Errorf("reminders that are off: %v", found)
	}
	r.After = []time.Duration{time.Hour}
	found := checkReminders(t.Context(), r)
	if len(found) != 2 || found[0].Level != LevelFail || found[1].Level != LevelFail || !strings.Contains(found[0].Text, away) || !strings.Contains(found[1].Text, path) {
		t.Errorf("found %+v", found)
	}
	for _, f := range found {
		if f.Fix == "" || strings.Contains(f.Text, "T0KEN") {
			t.Errorf("fix %q of %q", f.Fix, f.Text)
		}
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if found := checkReminders(t.Context(), r); found[1].Level != LevelOK {
		t.Errorf("a good secret: %+v", found[1])
	}
}
