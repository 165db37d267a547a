package source

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fairbridge/api"
	"fairbridge/cmd/internal/cli"
)

// newTestSituation has what is said in the words: env:NAME=VALUE, read:PATH, there:PATH,
// config:PATH and url:URL for the flags.
func newTestSituation(words string) *situation {
	all := strings.Fields(words)
	after := func(prefix string) string {
		for _, w := range all {
			if v, ok := strings.CutPrefix(w, prefix); ok {
				return v
			}
		}
		return ""
	}
	return &situation{
		configFlag: after("config:"), urlFlag: after("url:"),
		getenv:     func(name string) string { return after("env:" + name + "=") },
		canRead:    func(path string) bool { return slices.Contains(all, "read:"+path) },
		isThere:    func(path string) bool { return slices.Contains(all, "there:"+path) },
		configPath: "F", clientPath: "C", socketPath: "/S",
	}
}

// Each line of Rule, alone and before those after it.
func TestChoice(t *testing.T) {
	const below = " env:FAIRBRIDGE_URL=https://e env:FAIRBRIDGE_CLIENT=ec read:F read:C there:/S"
	for words, want := range map[string]choice{
		"config:f env:FAIRBRIDGE_CONFIG=ef" + below:                    {configPath: "f"},
		"url:https://u env:FAIRBRIDGE_CONFIG=ef" + below:               {url: "https://u", clientPath: "ec"},
		"url:https://u read:C":                                         {url: "https://u", clientPath: "C"},
		"url:https://u":                                                {url: "https://u"},
		"env:FAIRBRIDGE_CONFIG=ef" + below:                             {configPath: "ef"},
		"env:FAIRBRIDGE_URL=https://e read:F there:/S":                 {url: "https://e"},
		"env:FAIRBRIDGE_URL=https://e env:FAIRBRIDGE_CLIENT=ec read:C": {url: "https://e", clientPath: "ec"},
		"env:FAIRBRIDGE_CLIENT=ec read:F read:C there:/S":              {clientPath: "ec"},
		"read:F read:C there:/S":                                       {configPath: "F"},
		"read:C there:/S":                                              {clientPath: "C"},
		"there:/S":                                                     {url: "unix:///S"},
		"env:FAIRBRIDGE_CONFIG= env:FAIRBRIDGE_URL= there:/S":          {url: "unix:///S"},
	} {
		if got, err := newTestSituation(words).choose(); err != nil || got != want {
			t.Errorf("%s: %+v, %v, want %+v", words, got, err, want)
		}
	}
	for words, want := range map[string]string{
		"config:f url:https://u": "--config and --url say two places to ask",
		"":                       "F and C cannot be read here, and there is no /S; ask your administrators for the URL and give it by --url or FAIRBRIDGE_URL, or name the configuration with -c FILE",
	} {
		if _, err := newTestSituation(words).choose(); err == nil || !cli.IsUsageError(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", words, err, want)
		}
	}
}

func TestWhatCanBeRead(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{file: true, file + "s": false, filepath.Join(file, "x"): false} {
		if canRead(path) != want || isThere(path) != want {
			t.Errorf("%s: read %v, there %v, want %v", path, canRead(path), isThere(path), want)
		}
	}
}

func TestOpenRemote(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := write("good", "url: https://ctl:1\ntimeout: 5s\n", 0o644)
	for _, c := range []choice{{clientPath: good}, {url: "unix:///run/s"}, {url: "https://other:1", clientPath: good}} {
		s, err := openRemote(c)
		if err != nil {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		want := "the daemon at https://ctl:1"
		if c.url != "" {
			want = "the daemon at " + c.url
		}
		if s.Describe() != want {
			t.Errorf("%+v: %s", c, s.Describe())
		}
		s.Close()
	}
	for want, c := range map[string]choice{
		"can be written by everybody": {clientPath: write("open", "url: https://ctl:1\n", 0o666)},
		"has no url":                  {clientPath: write("none", "timeout: 5s\n", 0o644)},
		"no such file":                {clientPath: filepath.Join(dir, "nowhere")},
		"is no configuration":         {clientPath: dir},
		"https://":                    {url: "http://ctl:1"},
		"must begin with":             {url: "ctl"},
		"ca_file /nowhere/ca.pem":     {clientPath: write("ca", "url: https://ctl:1\nca_file: /nowhere/ca.pem\n", 0o644)},
	} {
		if _, err := openRemote(c); err == nil || !cli.IsUsageError(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", c, err, want)
		}
	}
}

// The exit status goes by the code that the daemon tells; who reads the record has no daemon.
func TestCommandErrors(t *testing.T) {
	far, near := &remote{}, &local{}
	for code, want := range map[api.Code]string{
		api.CodeBadRequest: "usage", api.CodeUnavailable: "unreachable", api.CodeTooMany: "unreachable",
		api.CodeForbidden: "", api.CodeNotFound: "", api.CodeUnauthenticated: "", api.CodeInternal: "",
	} {
		err := &api.Error{Code: code, Message: "m"}
		got := NewCommandError(far, err)
		if cli.IsUsageError(got) != (want == "usage") || cli.IsUnreachableError(got) != (want == "unreachable") {
			t.Errorf("%s becomes %T", code, got)
		}
		if cli.IsUnreachableError(NewCommandError(near, err)) {
			t.Errorf("%s of the record is unreachable", code)
		}
	}
	if plain := errors.New("x"); NewCommandError(far, plain) != plain || NewCommandError(far, nil) != nil {
		t.Error("another error is not left as it is")
	}
}

func TestTooManyRequestsAreAskedAgain(t *testing.T) {
	for refusals, want := range map[int]int{0: 1, 2: 3, 99: 1 + maxRetries} {
		asked := 0
		got, err := retryTooMany(t.Context(), 0, func() (*int, error) {
			if asked++; asked <= refusals {
				return nil, &api.Error{Code: api.CodeTooMany}
			}
			return &asked, nil
		})
		if asked != want || (err == nil) != (refusals < 99) || (got == nil) != (err != nil) {
			t.Errorf("%d refusals: asked %d times, %v", refusals, asked, err)
		}
	}
}
