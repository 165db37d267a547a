package bundlecommand

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/doctor"
	"fairbridge/cmd/settings"
)

// unpack returns the files of a bundle.
func unpack(t *testing.T, packed []byte) map[string]string {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files[strings.TrimPrefix(h.Name, "fairbridge-bundle/")] = string(text)
	}
}

// redacted returns a document as it is packed.
func redacted(t *testing.T, r *redactor, doc any) string {
	t.Helper()
	out, err := r.redact(doc)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// hostile are names that are hard to find: of one letter class, with marks, spaces and signs, of digits, words of
// English and of fairbridge, times.
var hostile = []string{
	"Zoë.O'Brien@example.org", "xyzzy", "mueller_42", "geheim/projekt", "Ab Cd Ef", "waiting", "qx7", `we"ird\name`,
	"node.secret-site.example", "paper for NeurIPS <b>", "=cmd|'/c calc'!A1", "/home/zoe/job.sh", "2001:638:902:1::5",
	"🚀🚀", "\u202e☠", "4711_3", "123457", "rank", "2026-11-27T12:30:00Z",
}

// TestNoNameIsLeft puts hostile names everywhere a name may stand in a cycle, a decision and a finding, as keys too,
// and into fields that a later release adds. None is left, and fairbridge's own words are.
func TestNoNameIsLeft(t *testing.T) {
	type object = map[string]any
	for _, name := range hostile {
		r := newRedactor()
		text := redacted(t, r, []any{
			object{"partition": name, "seq": 12, "at": "2026-03-02T12:00:00Z", "mode": "steer", "policy": "tiresias"},
			object{"params": "a=" + name, "decisions": 7, "took": object{"decide": "44ms"}},
			object{"refused": []any{object{"job": 4711, "invariant": "I7", "why": "job 4711 of " + name + " waits"}}},
			object{"job": 4711, "verb": "wait", "rank": 3, "gpus": 8, "on": name, "for": 4711, "why": name},
			object{"on": object{name: 4711}, "why": []any{object{"rank": name}}},
			doctor.Finding{Subject: "slurm", Level: doctor.LevelFail, Text: "no connection: " + name, Fix: name},
			object{"later": []any{name, object{name: 4711}, object{"rank": name}}, "user": name, "ids": []int{4711}},
		})
		for _, gone := range []string{name, strings.Trim(fmt.Sprintf("%q", name), `"`), "4711", "later", "user"} {
			if strings.Contains(strings.ReplaceAll(text, `"rank":3`, ""), gone) {
				t.Errorf("%q is left in %s", gone, text)
			}
		}
		for _, kept := range []string{
			`"seq":12`, `"at":"2026-03-02T12:00:00Z"`, `"mode":"steer"`, `"policy":"tiresias"`, `"decisions":7`,
			`"invariant":"I7"`, `"took":{"decide":"44ms"}`, `"verb":"wait"`, `"rank":3`, `"gpus":8`, `"about":"slurm"`,
		} {
			if !strings.Contains(text, kept) {
				t.Errorf("%s is not in %s", kept, text)
			}
		}
		if hash := r.hash(name); r.names[hash] != name || strings.Count(text, hash) < 7 {
			t.Errorf("%q does not have one hash", name)
		} else if strings.Contains(redacted(t, newRedactor(), name), hash) {
			t.Errorf("the hash of %q does not go by the key", name)
		}
	}
}

// FuzzDocument redacts whatever JSON there is, with a name in it.
func FuzzDocument(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Add("took") // a kept field below one that is not
	f.Fuzz(func(t *testing.T, s string) {
		doc := map[string]any{"name": s + " zoeylane", "x" + s: []any{"zoeylane", map[string]any{"zoeylane": s}}}
		text := redacted(t, newRedactor(), doc)
		if strings.Contains(text, "zoeylane") {
			t.Errorf("%q became %s", s, text)
		}
	})
}

// fillTexts puts a name of its own into every text a value can hold, but for those of keptSettings, and says how many
// there are.
func fillTexts(v reflect.Value, n *int) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Field(i)
			if field.IsExported() && !slices.Contains(keptSettings, field.Tag.Get("yaml")) {
				fillTexts(v.Field(i), n)
			}
		}
	case reflect.String:
		*n++
		v.SetString(fmt.Sprintf("hunter%dZZZ", *n))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fillTexts(v.Index(0), n)
		fillTexts(v.Index(1), n)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fillTexts(key, n)
		if value.Kind() == reflect.Interface {
			key.SetString("stages") // of a policy's parameters the program knows the names
			*n++
			value.Set(reflect.ValueOf([]any{fmt.Sprintf("hunter%dZZZ", *n), nil}))
		} else {
			fillTexts(value, n)
		}
		v.SetMapIndex(key, value)
	}
}

// TestNoTextOfTheConfiguration plants a secret in every text of the configuration there is, keys of maps included, but
// for those that are checked to be fairbridge's words. Numbers, times and those words stay; numbers of jobs do not.
func TestNoTextOfTheConfiguration(t *testing.T) {
	f, n := settings.NewDefaultFile(), 0
	fillTexts(reflect.ValueOf(f).Elem(), &n)
	if n < 60 {
		t.Fatalf("only %d texts: the search is broken", n)
	}
	f.Partitions[0].Mode, f.Partitions[0].Params["backfill"], f.Interval = "steer", 4, 30*time.Second
	f.Partitions[1].Params["none"] = nil
	f.Gate.ExemptJobs[0] = 471147
	text := redacted(t, newRedactor(), f)
	for _, gone := range []string{"hunter", "zzz", "471147"} {
		if strings.Contains(strings.ToLower(text), gone) {
			t.Errorf("%s is left in %s", gone, text)
		}
	}
	for _, kept := range []string{`"mode":"steer"`, `"backfill":4`, `"interval":"30s"`, `"level":"info"`} {
		if !strings.Contains(text, kept) {
			t.Errorf("%s is not in %s", kept, text)
		}
	}
}

// run packs a bundle where there is no configuration, and returns what it printed.
func run(t *testing.T, dir string, args ...string) (out, errs string, err error) {
	t.Helper()
	c := NewCommand(&cli.Options{ConfigPath: "/home/zoe/none.yaml"})
	var o, e bytes.Buffer
	c.SetArgs(append([]string{"--to", filepath.Join(dir, "bundle.tar.gz")}, args...))
	c.SetOut(&o)
	c.SetErr(&e)
	err = c.ExecuteContext(t.Context())
	return o.String(), e.String(), err
}

// TestWithoutAnything packs where there is no configuration: the reasons are shown, and are not in the bundle.
func TestWithoutAnything(t *testing.T) {
	dir := t.TempDir()
	out, errs, err := run(t, dir)
	isTold := strings.Contains(errs, "configuration.json is missing: ") && strings.Contains(out, "cycles.json")
	if !errors.Is(err, cli.ErrFinding) || !isTold {
		t.Errorf("%q, %q, %v", out, errs, err)
	}
	packed, err := os.ReadFile(filepath.Join(dir, "bundle.tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	files := unpack(t, packed)
	isThere := strings.Contains(files["version.json"], `"go": "go1`)
	if len(files) != 2 || !isThere || strings.Count(files["README.txt"], "missing\n") != 5 {
		t.Errorf("%v", files)
	}
	for name, text := range files {
		if strings.Contains(text, "zoe") {
			t.Errorf("%s says whose configuration is missing: %s", name, text)
		}
	}
}

// TestNamesFile keeps the names where they are wanted, in a new file for its owner alone, and makes no bundle where it
// cannot.
func TestNamesFile(t *testing.T) {
	dir := t.TempDir()
	names := filepath.Join(dir, "names.json")
	_, _, err := run(t, dir, "--names-file", filepath.Join(dir, "none", "names.json"))
	if err == nil || errors.Is(err, cli.ErrFinding) {
		t.Errorf("without a folder for the names: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "bundle.tar.gz")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("there is a bundle whose names are lost: %v", err)
	}
	if _, _, err := run(t, dir, "--names-file", names); !errors.Is(err, cli.ErrFinding) {
		t.Error(err)
	}
	if info, err := os.Stat(names); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if _, _, err := run(t, dir, "--names-file", names); err == nil || errors.Is(err, cli.ErrFinding) {
		t.Errorf("names were written over: %v", err)
	}
}
