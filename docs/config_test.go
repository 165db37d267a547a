package docs_test

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fairbridge/bridge/slurm"
	"fairbridge/cmd/settings"
)

// TestConfigurations reads every configuration the pages show.
func TestConfigurations(t *testing.T) {
	read := 0
	for _, p := range pages(t) {
		for _, text := range p.blocks("yaml") {
			if strings.HasPrefix(text, "groups:") {
				continue // rules for Prometheus
			}
			read++
			parse := func() (err error) { _, err = settings.Parse(p.path, []byte(text)); return err }
			if strings.HasPrefix(text, "url:") { // client.yaml
				parse = func() (err error) { _, err = settings.ParseClient(p.path, []byte(text)); return err }
			}
			if err := parse(); err != nil {
				t.Errorf("%s: %v\n%s", p.path, err, text)
			}
		}
	}
	if read == 0 {
		t.Error("found no configuration: the search is broken")
	}
}

// TestKeys wants the table of keys to name all there are, and no other.
func TestKeys(t *testing.T) {
	var got []string
	for _, r := range rows(t, "admin-quickstart.md", regexp.MustCompile("^`[a-z_.`, *\\[\\]]+`$")) {
		for _, m := range span.FindAllStringSubmatch(r[0], -1) {
			got = append(got, m[1])
		}
	}
	want := keysOf(reflect.TypeFor[settings.File](), "")
	for _, k := range want {
		if !slices.Contains(got, k) {
			t.Errorf("the table does not name %s", k)
		}
	}
	for _, k := range got {
		if !strings.HasPrefix(k, "fairbridge_") && !slices.Contains(want, k) {
			t.Errorf("the table names %s, which does not exist", k)
		}
	}
}

// keysOf lists the keys of a configuration, as slurm.url and partitions[].name.
// The budgets of the gate have a table of their own.
func keysOf(typ reflect.Type, prefix string) []string {
	var keys []string
	for i := range typ.NumField() {
		f := typ.Field(i)
		key := f.Tag.Get("yaml")
		switch {
		case key == "":
		case key == "gate":
			keys = append(keys, "gate.*")
		case f.Type.Kind() == reflect.Struct:
			keys = append(keys, keysOf(f.Type, prefix+key+".")...)
		case f.Type.Kind() == reflect.Slice && f.Type.Elem().Kind() == reflect.Struct:
			keys = append(keys, keysOf(f.Type.Elem(), prefix+key+"[].")...)
		default:
			keys = append(keys, prefix+key)
		}
	}
	return keys
}

// TestDirectives wants the table for researchers to name what the parser
// knows.
func TestDirectives(t *testing.T) {
	unread := slurm.ReadDirective("fairbridge:nonsense").UnreadReason
	if unread == "" {
		t.Fatal("nonsense is understood")
	}
	_, list, _ := strings.Cut(unread, "known are ")
	want := strings.Split(strings.TrimSpace(list), ", ")
	var got []string
	for _, r := range rows(t, "researchers.md", regexp.MustCompile("^`[a-z_]+`$")) {
		got = append(got, strings.Trim(r[0], "`"))
		if unread := slurm.ReadDirective("fairbridge:" + strings.Trim(r[1], "`")).UnreadReason; unread != "" {
			t.Errorf("the example %s: %s", r[1], unread)
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("the table names %v, the parser knows %v", got, want)
	}
}
