package restconn

import (
	"encoding/json"
	"encoding/pem"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// mint signs a token with a key of the tests' own.
func mint(t testing.TB, user string, expires time.Time) string {
	t.Helper()
	cl := tokenClaims{User: user}
	if !expires.IsZero() {
		cl.ExpiresAt = jwt.NewNumericDate(expires)
	}
	s, err := jwt.NewWithClaims(jwt.SigningMethodHS256, cl).SignedString([]byte("key of the tests"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func fileWith(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTokenFile(t *testing.T) {
	good := mint(t, "fairbridge", noon.Add(time.Hour))
	for _, c := range []struct {
		name, text string
		cfg        Config
		want       string // part of the error; "" for none
	}{
		{name: "alone", text: good + "\n"},
		{name: "as scontrol prints it", text: "SLURM_JWT=" + good + "\n"},
		{name: "without end", text: mint(t, "fairbridge", time.Time{})},
		{name: "user as configured", text: good, cfg: Config{User: "fairbridge"}},
		{name: "of another user", text: good, cfg: Config{User: "oper"}, want: `is for user "fairbridge", not for "oper"`},
		{name: "expired", text: mint(t, "fairbridge", noon), want: "expired at 2026-11-21T12:00:00Z: renew it"},
		{name: "root's", text: mint(t, "root", noon.Add(time.Hour)), want: "root can act as anybody"},
		{name: "SlurmUser's", text: mint(t, "slurm", noon.Add(time.Hour)), want: "slurm can act as anybody"},
		{name: "SlurmUser's of another name", text: mint(t, "wlm", noon.Add(time.Hour)), cfg: Config{SlurmUser: "wlm"}, want: "wlm can act as anybody"},
		{name: "of nobody", text: mint(t, "", noon.Add(time.Hour)), want: "names no user"},
		{name: "of nobody, user configured", text: mint(t, "", noon.Add(time.Hour)), cfg: Config{User: "fairbridge"}},
		{name: "of nobody, root configured", text: mint(t, "", noon.Add(time.Hour)), cfg: Config{User: "root"}, want: "root can act as anybody"},
		{name: "cut", text: good[:len(good)/2], want: "is not a JWT"},
		{name: "empty", text: " \n", want: "is empty"},
		{name: "words", text: "hello\nX-Evil: 1", want: "is not a JWT"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := c.cfg
			cfg.URL, cfg.TokenFile = "http://localhost:1", fileWith(t, c.text)
			cfg, err := cfg.withDefaults()
			if err != nil {
				t.Fatal(err)
			}
			src := tokenSource{cfg: cfg, now: func() time.Time { return noon }}
			tok, err := src.currentToken()
			if c.want == "" {
				if err != nil || tok.User != "fairbridge" {
					t.Fatalf("user %q, error %v", tok.User, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("error %v, want one with %q", err, c.want)
			}
			for _, part := range strings.Split(c.text, ".") {
				if len(part) > 15 && strings.Contains(err.Error(), part) {
					t.Fatal("the error shows the token")
				}
			}
		})
	}
}

func TestTokenFileIsReadAgain(t *testing.T) {
	now := noon
	path := fileWith(t, mint(t, "fairbridge", noon.Add(time.Minute)))
	src := tokenSource{cfg: Config{TokenFile: path, SlurmUser: "slurm"}, now: func() time.Time { return now }}
	first, err := src.currentToken()
	if err != nil {
		t.Fatal(err)
	}
	now = noon.Add(2 * time.Minute)
	if _, err := src.currentToken(); err == nil {
		t.Fatal("an expired token was used")
	}
	next := fileWith(t, mint(t, "fairbridge", noon.Add(time.Hour)))
	if err := os.Rename(next, path); err != nil {
		t.Fatal(err)
	}
	second, err := src.currentToken()
	if err != nil || second.secretText == first.secretText {
		t.Fatalf("the new token was not read: %v", err)
	}
}

func TestTokenFileOpenToEverybody(t *testing.T) {
	path := fileWith(t, mint(t, "fairbridge", noon.Add(time.Hour)))
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	src := tokenSource{cfg: Config{TokenFile: path}, now: func() time.Time { return noon }}
	if _, err := src.currentToken(); err == nil || !strings.Contains(err.Error(), "chmod o-rwx") {
		t.Fatal(err)
	}
}

func TestTokenFromEnvironment(t *testing.T) {
	src := tokenSource{cfg: Config{TokenEnv: "FAIRBRIDGE_TEST_TOKEN"}, now: func() time.Time { return noon }}
	if _, err := src.currentToken(); err == nil || !strings.Contains(err.Error(), "is empty") {
		t.Fatal(err)
	}
	t.Setenv("FAIRBRIDGE_TEST_TOKEN", mint(t, "fairbridge", noon.Add(time.Hour)))
	if tok, err := src.currentToken(); err != nil || tok.User != "fairbridge" {
		t.Fatal(tok.User, err)
	}
	// export X=$(scontrol token)
	t.Setenv("FAIRBRIDGE_TEST_TOKEN", "SLURM_JWT="+mint(t, "fairbridge", noon.Add(time.Hour)))
	if tok, err := src.currentToken(); err != nil || tok.User != "fairbridge" ||
		strings.HasPrefix(string(tok.secretText), "SLURM") {
		t.Fatal(tok.User, err)
	}
}

func TestSignedTokens(t *testing.T) {
	now := noon
	key := "0123456789abcdef\x00\n 0123456789abc" // taken as it is
	src := tokenSource{cfg: Config{KeyFile: fileWith(t, key), User: "fairbridge"}, now: func() time.Time { return now }}
	first, err := src.currentToken()
	if err != nil {
		t.Fatal(err)
	}
	var cl tokenClaims
	_, err = jwt.ParseWithClaims(string(first.secretText), &cl, func(*jwt.Token) (any, error) { return []byte(key), nil },
		jwt.WithValidMethods([]string{"HS256"}), jwt.WithTimeFunc(func() time.Time { return now }))
	if err != nil || cl.User != "fairbridge" || cl.ExpiresAt.Sub(noon) > 10*time.Minute {
		t.Fatalf("%+v %v", cl, err)
	}
	now = noon.Add(2 * time.Minute)
	if again, _ := src.currentToken(); again.secretText != first.secretText {
		t.Error("signed anew in the first half of its life")
	}
	now = noon.Add(4 * time.Minute)
	if again, _ := src.currentToken(); again.secretText == first.secretText {
		t.Error("not replaced in the second half of its life")
	}
	src = tokenSource{cfg: Config{KeyFile: fileWith(t, key), User: "root"}, now: func() time.Time { return now }}
	if _, err := src.currentToken(); err == nil {
		t.Error("signed for root")
	}
}

func TestSecretsDoNotPrint(t *testing.T) {
	const canary = "canary-5f2d"
	tok := Token{User: "u", secretText: canary}
	var b strings.Builder
	slog.New(slog.NewJSONHandler(&b, nil)).Info("x", "token", tok, "text", tok.secretText)
	js, _ := json.Marshal(struct{ S secret }{canary})
	for _, s := range []string{fmt.Sprint(tok), fmt.Sprintf("%v %+v %#v %s %q %x", tok, tok, tok, tok.secretText, tok.secretText, tok.secretText), b.String(), string(js)} {
		if strings.Contains(s, canary) || strings.Contains(s, fmt.Sprintf("%x", canary)) {
			t.Errorf("shows: %s", s)
		}
	}
}

func TestConfig(t *testing.T) {
	for _, c := range []struct{ cfg, want string }{
		{`{"URL":"127.0.0.1:6820","TokenFile":"x"}`, "want http://host:port"},
		{`{"URL":"ftp://h","TokenFile":"x"}`, "want http://host:port"},
		{`{"URL":"unix:relative"}`, "want http://host:port"},
		{`{"URL":"http://u:canary@h","TokenFile":"x"}`, "want http://host:port"},
		{`{"URL":"http://h"}`, "set token_file"},
		{`{"URL":"http://h","TokenFile":"x","TokenEnv":"y"}`, "only one of"},
		{`{"URL":"http://h","KeyFile":"x"}`, "key_file needs user"},
		{`{"URL":"http://h","TokenFile":"x","Timeout":-1}`, "must be positive"},
		{`{"URL":"unix:///run/slurmrestd/rest.sock"}`, ""},
		{`{"URL":"https://h:6820","TokenFile":"x"}`, ""},
	} {
		var cfg Config
		if err := json.Unmarshal([]byte(c.cfg), &cfg); err != nil {
			t.Fatal(err)
		}
		_, err := cfg.withDefaults()
		switch {
		case c.want == "" && err != nil, c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: error %v, want %q", c.cfg, err, c.want)
		case err != nil && strings.Contains(err.Error(), "canary"):
			t.Errorf("shows a password: %v", err)
		}
	}
}

func pemOf(der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

// TestTokensThatLastTooLong: beyond TokenLife they are refused, beyond 30 days
// warned of.
func TestTokensThatLastTooLong(t *testing.T) {
	const day = 24 * time.Hour
	forever, err := jwt.NewWithClaims(jwt.SigningMethodHS256, tokenClaims{User: "fairbridge"}).SignedString([]byte("k"))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		token   string
		life    time.Duration
		refused string
		warned  string
	}{
		"an hour":                     {mint(t, "fairbridge", noon.Add(time.Hour)), 366 * day, "", ""},
		"a month":                     {mint(t, "fairbridge", noon.Add(30*day)), 366 * day, "", ""},
		"longer":                      {mint(t, "fairbridge", noon.Add(31*day)), 366 * day, "", "the token of fairbridge is good for 31 days: whoever copies it"},
		"a year and a day":            {mint(t, "fairbridge", noon.Add(367*day)), 366 * day, "is good for 367 days, and more than 366 days are not accepted (slurm.token_life): make one with scontrol token username=fairbridge lifespan=3600", ""},
		"ten years, as is configured": {mint(t, "fairbridge", noon.Add(3650*day)), 0, "", "good for 3650 days"},
		"for ever":                    {forever, 366 * day, "is good for ever, and more than 366 days", ""},
		"for ever, as is configured":  {forever, 0, "", "good for ever: whoever copies it"},
	} {
		got, err := Config{TokenLife: c.life}.parseToken(secret(c.token), "FILE", noon)
		if (err == nil) != (c.refused == "") || err != nil && !strings.Contains(err.Error(), c.refused) {
			t.Errorf("%s: %v, want %q", name, err, c.refused)
		}
		if w := got.WeaknessWarning(noon); err == nil && ((w == "") != (c.warned == "") || !strings.Contains(w, c.warned)) {
			t.Errorf("%s: warned %q, want %q", name, w, c.warned)
		}
	}
	if w := (Token{User: "fairbridge"}).WeaknessWarning(noon); w != "" {
		t.Errorf("no token: %q", w)
	}
}
