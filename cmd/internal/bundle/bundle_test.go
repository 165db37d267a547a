package bundle

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/pseudonym"
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

func pack(t *testing.T, c *Collection, key string) map[string]string {
	t.Helper()
	var b, again bytes.Buffer
	for _, to := range []*bytes.Buffer{&b, &again} {
		members, err := c.Members(pseudonym.New([]byte(key)))
		if err == nil {
			err = c.Write(to, members)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(b.Bytes(), again.Bytes()) {
		t.Error("the same key gives another bundle")
	}
	return unpack(t, b.Bytes())
}

// fillTexts puts a secret of its own into every text a value can hold, and says how many there are.
func fillTexts(v reflect.Value, n *int) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
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
			*n++
			value.Set(reflect.ValueOf(fmt.Sprintf("hunter%dZZZ", *n)))
		} else {
			fillTexts(value, n)
		}
		v.SetMapIndex(key, value)
	}
}

// TestNoSecretOfTheConfiguration plants one in every text of the configuration there is, keys of maps included, the choices
// and names among them.
func TestNoSecretOfTheConfiguration(t *testing.T) {
	f, n := settings.NewDefaultFile(), 0
	fillTexts(reflect.ValueOf(f).Elem(), &n)
	if n < 60 {
		t.Fatalf("only %d texts: the search is broken", n)
	}
	c := &Collection{Parts: []Part{{File: "configuration.json", Doc: newConfiguration(f)}}}
	for name, text := range pack(t, c, "key") {
		if strings.Contains(strings.ToLower(text), "hunter") || strings.Contains(text, "ZZZ") {
			t.Errorf("%s tells a secret:\n%s", name, text)
		}
	}
}

// publicFiles are the keys of files that hold no secret: certificates, and what is looked for and not read.
var publicFiles = []string{"ca_file", "cert_file", "mail_ca_file", "webhook_ca_file", "stop_file"}

// namedFiles returns every text of the configuration that names a file with a secret, by its key: those a later release
// adds as well.
func namedFiles(v reflect.Value) (paths []*string) {
	for i := range v.NumField() {
		key, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
		switch field := v.Field(i); {
		case !v.Type().Field(i).IsExported() || key == "-":
		case field.Kind() == reflect.Struct:
			paths = append(paths, namedFiles(field)...)
		case field.Kind() == reflect.String && strings.HasSuffix(key, "_file") && !slices.Contains(publicFiles, key):
			paths = append(paths, field.Addr().Interface().(*string))
		}
	}
	return paths
}

// TestNoSecretOfFiles plants secrets in every file and variable the configuration names, and has errors and a log cite them. A part
// that has one all the same is left out.
func TestNoSecretOfFiles(t *testing.T) {
	dir, f := t.TempDir(), settings.NewDefaultFile()
	var planted []string
	files := namedFiles(reflect.ValueOf(f).Elem())
	if len(files) < 9 {
		t.Fatalf("only %d files: the search is broken", len(files))
	}
	for i, path := range files {
		secret := fmt.Sprintf("swordfish%d", i)
		text := secret + "\n"
		if path == &f.Database.DSNFile {
			text = "postgres://fairbridge:" + secret + "@db.example/fairbridge\n"
		}
		*path = filepath.Join(dir, secret)
		if err := os.WriteFile(*path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		planted = append(planted, secret)
	}
	t.Setenv("SLURM_JWT", "swordfish-jwt")
	t.Setenv("PGPASSWORD", "swordfish-pg")
	f.Reminders.WebhookURL = "https://h.example.org/hooks?a=1&key=swordfish-hook"
	planted = append(planted, "swordfish-jwt", "swordfish-pg", f.Reminders.WebhookURL, `https://h.example.org/hooks?a=1\u0026key=swordfish-hook`)
	c := &Collection{secrets: knownSecrets(f), Parts: []Part{{File: "gone.json", Err: errors.New("logging in by swordfish-pg and swordfish2 failed")}}}
	for i, secret := range planted {
		c.Parts = append(c.Parts, Part{File: fmt.Sprint(i), Doc: []any{parseLogLine(`time=2026-01-01T00:00:00Z level=ERROR msg="it was ` + secret + `" token=` + secret)}})
	}
	for name, text := range pack(t, c, "key") {
		if strings.Contains(text, "swordfish") {
			t.Errorf("%s tells a secret:\n%s", name, text)
		}
	}
	for _, secret := range planted {
		if !c.holdsSecret([]byte("x " + secret + " y")) {
			t.Errorf("%s would not be found", secret)
		}
	}
	// A secret that happens to be a word of ours is found in the part that has it.
	c = &Collection{secrets: [][]byte{[]byte("waiting")}, Parts: []Part{{File: "a.json", Doc: map[string]any{"text": "it is waiting"}}, {File: "b.json", Doc: 1}}}
	members, err := c.Members(pseudonym.New([]byte("key")))
	if err != nil || !errors.Is(members[0].Err, errSecret) || members[0].Text != nil || members[1].Text == nil {
		t.Errorf("a part with a secret is packed: %v, %v", members, err)
	}
}

// TestWithoutAnything packs where there is no configuration, and says what is missing.
func TestWithoutAnything(t *testing.T) {
	now := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	t.Setenv("PATH", t.TempDir()) // no journalctl
	c := Collect(t.Context(), &cli.Options{ConfigPath: "/home/zoe/none.yaml"}, now.Add(-time.Hour), now)
	files := pack(t, c, "key")
	var contents struct{ Files []Member }
	if err := json.Unmarshal([]byte(files["contents.json"]), &contents); err != nil {
		t.Fatal(err)
	}
	for _, x := range contents.Files {
		if _, there := files[x.File]; there == (x.Missing != "") || there != (x.File == "version.json") || strings.Contains(x.Missing, "zoe") {
			t.Errorf("%s: there %t, missing: %q", x.File, there, x.Missing)
		}
	}
	if len(contents.Files) < 10 {
		t.Errorf("only %d files are told of", len(contents.Files))
	}
}

// TestLines reads what slog and Prometheus write.
func TestLines(t *testing.T) {
	for line, want := range map[string]map[string]any{
		`time=2026-01-01T00:00:00Z level=INFO msg="a \"b\" c" partition=gpu`: {"time": "2026-01-01T00:00:00Z", "level": "INFO", "msg": `a "b" c`, "partition": "gpu"},
		`{"level":"INFO","n":12}`: {"level": "INFO", "n": json.Number("12")},
		"Started fairbridge":      {"text": "Started fairbridge"},
	} {
		if got := parseLogLine(line); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v", line, got)
		}
	}
	got := parseMetrics([]byte("# HELP x y\nx 1\ny{partition=\"a,b\",user=\"z\"} 2e3\n"))
	want := []any{map[string]any{"metric": "x", "labels": map[string]any{}, "is": json.Number("1")}, map[string]any{"metric": "y", "labels": map[string]any{"partition": "a,b", "user": "z"}, "is": json.Number("2e3")}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v", got)
	}
}

// TestNumbersStay packs metrics and a line of a log: what they measure is in the bundle as it was, and what numbers name is not.
func TestNumbersStay(t *testing.T) {
	c := &Collection{Parts: []Part{
		{File: "metrics.json", Doc: parseMetrics([]byte("fairbridge_bytes 123456\nfairbridge_wait_bucket{le=\"10000\"} 999999\nfairbridge_wait_bucket{le=\"+Inf\"} 1e+06\nfairbridge_age NaN\ngo_gc_duration_seconds{quantile=\"0.5\"} -Inf\n"))},
		{File: "log.json", Doc: []any{parseLogLine("time=2026-01-01T00:00:00Z level=WARN msg=cycle bytes=123456 share=0.25 uid=123457 pid=123458 user=123459 for=123460")}},
	}}
	files := pack(t, c, "key")
	flat := strings.Join(strings.Fields(files["metrics.json"]+files["log.json"]), "")
	for _, kept := range []string{`"is":123456,`, `"is":999999,"labels":{"le":"10000"}`, `"is":1e+06,"labels":{"le":"+Inf"}`, `"is":"NaN"`, `"is":"-Inf","labels":{"quantile":"0.5"}`, `"bytes":123456,`, `"share":0.25,`} {
		if !strings.Contains(flat, kept) {
			t.Errorf("%s is not in %s", kept, flat)
		}
	}
	for _, gone := range []string{"123457", "123458", "123459", "123460"} {
		if strings.Contains(flat, gone) {
			t.Errorf("%s is left in %s", gone, flat)
		}
	}
}

// TestSecretInJSON finds secrets that JSON writes otherwise.
func TestSecretInJSON(t *testing.T) {
	for _, secret := range []string{"12&34<held>56", `a"b\held`, "waiting\nheld"} {
		text, err := json.MarshalIndent(map[string]any{"text": "login with " + secret + " failed"}, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		c := &Collection{secrets: [][]byte{[]byte(secret)}}
		if bytes.Contains(text, []byte(secret)) || !c.holdsSecret(text) {
			t.Errorf("%q is not found in %s", secret, text)
		}
	}
}
