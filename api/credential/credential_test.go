package credential

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"fairbridge/api"
	"fairbridge/api/credential/mungetest"
)

// kindOf returns the kind of an error of ours, "" of none.
func kindOf(t *testing.T, err error) Kind {
	t.Helper()
	var e *Error
	var told *api.Error
	switch {
	case err == nil:
		return ""
	case !errors.As(err, &e) || !errors.As(err, &told):
		t.Fatalf("%T %v is no error that can be told", err, err)
	case told.Message == "" || told.Code == "":
		t.Errorf("%+v does not say what is wrong", told)
	}
	return e.Kind
}

// TestPayload wants a payload for each request: none is good for another.
func TestPayload(t *testing.T) {
	seen := map[string]string{}
	for _, c := range []struct{ method, uri, host, body string }{
		{"GET", "/v1/queue", "ctl:1", ""}, {"POST", "/v1/queue", "ctl:1", ""}, {"GET", "/v1/queue?a", "ctl:1", ""},
		{"GET", "/v1/queue", "ctl:2", ""}, {"GET", "/v1/queue", "ctl:1", "x"}, {"GE", "T/v1/queue", "ctl:1", ""},
		{"GET", "/v1/queuectl", ":1", ""}, {"GET", "/v1/queue", "ctl:", "1"}, {"", "", "", ""},
	} {
		p := NewPayload(c.method, c.uri, c.host, []byte(c.body))
		if before, ok := seen[p]; ok {
			t.Errorf("%v has the payload of %s", c, before)
		}
		seen[p] = fmt.Sprint(c)
		if strings.Contains(p, "queue") || len(p) > 100 || NewPayload(c.method, c.uri, c.host, []byte(c.body)) != p {
			t.Errorf("%v: %q", c, p)
		}
	}
}

func TestBothWays(t *testing.T) {
	m := mungetest.Start(t, "")
	payload := NewPayload("GET", "/v1/me", "ctl", nil)
	cred, err := Encode(t.Context(), m.EncodeCommand(), payload)
	if err != nil {
		t.Fatal(err)
	}
	d, err := Decode(t.Context(), m.DecodeCommand(), cred)
	if err != nil {
		t.Fatal(err)
	}
	if int(d.UID) != os.Geteuid() || d.Payload != payload || time.Since(d.EncodedAt).Abs() > time.Hour {
		t.Errorf("%+v", d)
	}
	if _, err = Decode(t.Context(), m.DecodeCommand(), cred); kindOf(t, err) != KindReplayed {
		t.Errorf("the second time: %v", err)
	}
}

// TestRefused has real credentials that must not be believed, each for its own reason.
func TestRefused(t *testing.T) {
	m, foreign := mungetest.Start(t, ""), mungetest.Start(t, "")
	encode := func(m *mungetest.Munged, more ...string) string {
		t.Helper()
		out, err := exec.Command("munge", append(m.EncodeCommand(more...)[1:], "--string=x")...).Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	good := encode(m)
	old := encode(m, "--ttl=1")
	time.Sleep(2100 * time.Millisecond) // munge counts seconds; a busy machine makes it only older
	for name, c := range map[string]struct {
		cred string
		want Kind
		code api.Code
	}{
		"expired":        {old, KindExpired, api.CodeUnauthenticated},
		"foreign":        {encode(foreign), KindInvalid, api.CodeUnauthenticated},
		"changed":        {good[:40] + "AAAA" + good[44:], KindInvalid, api.CodeUnauthenticated},
		"cut":            {good[:len(good)-20] + ":", KindInvalid, api.CodeUnauthenticated},
		"none":           {"", KindInvalid, api.CodeUnauthenticated},
		"an option":      {"--socket=/tmp/s", KindInvalid, api.CodeUnauthenticated},
		"two":            {good + "\n" + good, KindInvalid, api.CodeUnauthenticated},
		"a zero byte":    {good + "\x00", KindInvalid, api.CodeUnauthenticated},
		"large":          {"MUNGE:" + strings.Repeat("A", MaxLength) + ":", KindTooLarge, api.CodeTooLarge},
		"another's only": {encode(m, fmt.Sprint("--restrict-uid=", os.Geteuid()+1)), KindRestricted, api.CodeUnauthenticated},
	} {
		_, err := Decode(t.Context(), m.DecodeCommand(), c.cred)
		if kindOf(t, err) != c.want || api.CodeOf(err) != c.code {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
		if c.want == KindExpired && strings.Count(err.Error(), "T") < 2 {
			t.Errorf("%s: it says not both times: %v", name, err)
		}
	}
}

// TestOtherUser: the credential of another user says so.
func TestOtherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root makes credentials of others")
	}
	m := mungetest.Start(t, "")
	for _, c := range []struct {
		uid  uint32
		want Kind
	}{{0, ""}, {1, ""}, {4_000_000, ""}, {65534, KindNoUser}} {
		cmd := exec.Command("munge", m.EncodeCommand("--string=x")[1:]...)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: c.uid, Gid: c.uid}}
		cred, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		d, err := Decode(t.Context(), m.DecodeCommand(), strings.TrimSpace(string(cred)))
		if kindOf(t, err) != c.want || err == nil && d.UID != c.uid {
			t.Errorf("%d: %+v %v", c.uid, d, err)
		}
	}
}

// TestUnreachable: without munged nothing is said of the credential.
func TestUnreachable(t *testing.T) {
	m := mungetest.Start(t, "")
	cred, err := Encode(t.Context(), m.EncodeCommand(), "x")
	if err != nil {
		t.Fatal(err)
	}
	none := "--socket=" + filepath.Join(t.TempDir(), "none")
	for name, command := range map[string][]string{
		"no socket":  {"unmunge", none},
		"no command": {"/no/such/unmunge"},
		"none given": nil,
		"no option":  {"unmunge", "--no-such-option"},
	} {
		_, err := Decode(t.Context(), command, cred)
		if kindOf(t, err) != KindUnreachable || api.CodeOf(err) != api.CodeUnavailable {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, command := range map[string][]string{"no socket": {"munge", none}, "no command": {"/no/such/munge"}, "none given": nil} {
		if _, err := Encode(t.Context(), command, "x"); kindOf(t, err) != KindUnreachable {
			t.Errorf("encoding, %s: %v", name, err)
		}
	}
}

func TestEncoderBeside(t *testing.T) {
	for in, want := range map[string]string{"unmunge": "munge", "/opt/bin/unmunge --socket=/s": "/opt/bin/munge --socket=/s", "ssh ctl unmunge": "ssh ctl munge", "other": ""} {
		got, ok := EncoderBeside(strings.Fields(in))
		if strings.Join(got, " ") != want || ok != (want != "") {
			t.Errorf("%s: %v %t", in, got, ok)
		}
	}
}
