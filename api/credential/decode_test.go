package credential

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// newCommand makes a command that prints a text and ends with a status.
func newCommand(t *testing.T, text string, exit int) []string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "said")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{"sh", "-c", fmt.Sprintf("cat %s; echo 'unmunge: Error: as it is' >&2; exit %d", path, exit)}
}

// newMetadata is what unmunge prints of a credential that was made at one second and decoded at another.
func newMetadata(status, encoded, decoded, uid, length string) string {
	return "STATUS:          " + status + "\nENCODE_TIME:     " + encoded + "\nDECODE_TIME:     " + decoded +
		"\nTTL:             60\nUID:             " + uid + "\nLENGTH:          " + length + "\n\n"
}

const anyCredential = "MUNGE:AwQFAwQFAwQFAwQFAwQFAwQFAwQFAwQFAwQFAwQFAwQFAwQFAwQFAwQFAwQFAwQFAwQFAwQFAwQFAwQF:"

func TestDecodeReadsOlderAndNewerReleases(t *testing.T) {
	for name, text := range map[string]string{
		"as text":     newMetadata("Success (0)", "2026-11-23 17:03:21 +0000 (1795453401)", "2026-11-23 17:03:22 +0000 (1795453402)", "alice (of c) (1001)", "4"),
		"as numbers":  newMetadata("0", "1795453401", "1795453402", "1001", "4"),
		"unknown uid": newMetadata("Success (0)", "x (1795453401)", "x (1795453402)", "??? (1001)", "4"),
	} {
		d, err := Decode(t.Context(), newCommand(t, text+"a\n\nb", 0), anyCredential)
		if err != nil || d.UID != 1001 || d.Payload != "a\n\nb" || !d.EncodedAt.Equal(time.Unix(1795453401, 0)) {
			t.Errorf("%s: %+v %v", name, d, err)
		}
	}
}

// TestDecodeIsStrict: whatever is not exactly what unmunge prints proves nothing.
func TestDecodeIsStrict(t *testing.T) {
	const at = "1795453401"
	good := newMetadata("0", at, at, "1001", "1") + "x"
	for name, c := range map[string]struct {
		text string
		exit int
		want Kind
	}{
		"good":                    {good, 0, ""},
		"status and exit differ":  {good, 17, KindInvalid},
		"exit and status differ":  {strings.Replace(good, "STATUS:          0", "STATUS:          17", 1), 0, KindInvalid},
		"expired":                 {newMetadata("15", at, "1795453501", "1001", "1") + "x", 15, KindExpired},
		"rewound":                 {newMetadata("16", "1795453501", at, "1001", "1") + "x", 16, KindRewound},
		"replayed":                {newMetadata("17", at, at, "1001", "1") + "x", 17, KindReplayed},
		"too old for us":          {newMetadata("0", at, "1795453462", "1001", "1") + "x", 0, KindExpired},
		"from the future for us":  {newMetadata("0", "1795453462", at, "1001", "1") + "x", 0, KindRewound},
		"as old as may be":        {newMetadata("0", at, "1795453461", "1001", "1") + "x", 0, ""},
		"overflow uid":            {newMetadata("0", at, at, "65534", "1") + "x", 0, KindNoUser},
		"no uid":                  {newMetadata("0", at, at, "4294967295", "1") + "x", 0, KindNoUser},
		"uid beyond":              {newMetadata("0", at, at, "4294968296", "1") + "x", 0, KindInvalid},
		"negative uid":            {newMetadata("0", at, at, "-1", "1") + "x", 0, KindInvalid},
		"root":                    {newMetadata("0", at, at, "root (0)", "1") + "x", 0, ""},
		"payload longer":          {good + "y", 0, KindInvalid},
		"payload shorter":         {good[:len(good)-1], 0, KindInvalid},
		"a key twice":             {strings.Replace(good, "TTL:", "UID: 0\nTTL:", 1), 0, KindInvalid},
		"a key left out":          {strings.Replace(good, "UID:", "GID:", 1), 0, KindInvalid},
		"no end of the metadata":  {"STATUS: 0\n", 0, KindInvalid},
		"nothing":                 {"", 0, KindInvalid},
		"nothing, socket":         {"", 6, KindUnreachable},
		"nothing, timeout":        {"", 7, KindUnreachable},
		"nothing, bad credential": {"", 8, KindInvalid},
		"nothing, invalid":        {"", 14, KindInvalid},
		"nothing, restricted":     {"", 18, KindRestricted},
		"nothing, not executable": {"", 126, KindUnreachable},
		"endless":                 {"STATUS: 0\n" + strings.Repeat("x", maxOutput), 0, KindUnreachable},
	} {
		if _, err := Decode(t.Context(), newCommand(t, c.text, c.exit), anyCredential); kindOf(t, err) != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

// TestDecodeEnds: a command that hangs does not hold a request.
func TestDecodeEnds(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := Decode(ctx, []string{"sh", "-c", "sleep 600"}, anyCredential); kindOf(t, err) != KindUnreachable {
		t.Error(err)
	}
}

// FuzzParseMetadata: whatever a command prints is read or refused.
func FuzzParseMetadata(f *testing.F) {
	f.Add(newMetadata("0", "1795453401", "1795453401", "1001", "1") + "x")
	f.Add(newMetadata("Success (0)", "a (1)", ") (", "(", "()"))
	f.Fuzz(func(t *testing.T, text string) {
		m, err := parseMetadata(text)
		if err == nil && !strings.HasSuffix(text, "\n\n"+m.payload) {
			t.Errorf("%q has the payload %q", text, m.payload)
		}
	})
}
