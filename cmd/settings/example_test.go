package settings_test

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"fairbridge/cmd/settings"
)

var private = cmpopts.IgnoreUnexported(settings.File{})

// TestExampleShowsTheDefaults wants every value of the example to be the
// default, except those it marks CHANGE.
func TestExampleShowsTheDefaults(t *testing.T) {
	got, err := settings.Parse("example.yaml", []byte(settings.Example))
	if err != nil {
		t.Fatal(err)
	}
	want := settings.NewDefaultFile()
	want.Cluster = "cluster"
	want.Partitions = []settings.Partition{{Name: "gpu", Mode: "observe", Policy: "fairbridge"}}
	if d := cmp.Diff(want, got, private, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("what the example shows is not the default (-default +shown):\n%s", d)
	}
}

// TestPartitionDefaults wants what the example shows of a partition to be what
// holds without it.
func TestPartitionDefaults(t *testing.T) {
	short, err := settings.Parse("short.yaml", []byte("cluster: cluster\npartitions: [{name: gpu}]"))
	if err != nil {
		t.Fatal(err)
	}
	long, err := settings.Parse("example.yaml", []byte(settings.Example))
	if err != nil {
		t.Fatal(err)
	}
	a, err := short.LoopConfig()
	if err != nil {
		t.Fatal(err)
	}
	b, err := long.LoopConfig()
	if err != nil {
		t.Fatal(err)
	}
	a.Partitions[0].DecidingPolicy, b.Partitions[0].DecidingPolicy = nil, nil // not comparable; the same name and parameters
	if d := cmp.Diff(a, b, cmpopts.EquateEmpty()); d != "" {
		t.Error(d)
	}
}

// TestExampleNamesEveryKey wants every key in the example, in its section and
// perhaps commented out.
func TestExampleNamesEveryKey(t *testing.T) {
	shown := map[string]bool{}
	section, nested := "", "" // nested: a section within one of partitions
	line := regexp.MustCompile(`^( *)(?:- )?(?:# )?(- )?([a-z_0-9]+):(?: |$)`)
	for _, l := range strings.Split(settings.Example, "\n") {
		m := line.FindStringSubmatch(l)
		switch {
		case m == nil:
			if in := regexp.MustCompile(`^    #   (?:- |  )?([a-z_]+): .*?(?: ([a-z]+): \[|$)`).FindStringSubmatch(l); in != nil && nested != "" {
				shown["partitions."+nested+"."+in[1]], shown["partitions."+nested+"."+in[2]] = true, true
			}
		case m[1] == "":
			section = m[3]
			shown[section] = true
		default:
			shown[section+"."+m[3]] = true
			nested = m[3]
		}
		for _, inner := range regexp.MustCompile(`# ([a-z_]+): `).FindAllStringSubmatch(l, -1) {
			shown[section+"."+inner[1]] = true // leader: {}   # ttl: 90s
		}
	}
	for _, k := range keys(reflect.TypeFor[settings.File](), "") {
		if !shown[k] {
			t.Errorf("the example does not show %s", k)
		}
	}
}

func keys(typ reflect.Type, prefix string) []string {
	var all []string
	for i := range typ.NumField() {
		f := typ.Field(i)
		k := f.Tag.Get("yaml")
		if k == "" || k == "-" {
			continue
		}
		at := f.Type
		if at.Kind() == reflect.Slice {
			at = at.Elem()
		}
		all = append(all, prefix+k)
		if at.Kind() == reflect.Struct {
			all = append(all, keys(at, prefix+k+".")...)
		}
	}
	return all
}

// TestNoSecretsInTheFile wants no key for a secret itself.
func TestNoSecretsInTheFile(t *testing.T) {
	for _, k := range []string{"slurm: {token: x}", "slurm: {key: x}", "database: {dsn: x}", "database: {password: x}"} {
		_, err := settings.Parse("f", fmt.Appendf(nil, "cluster: c\npartitions: [{name: gpu}]\n%s\n", k))
		if err == nil || !strings.Contains(err.Error(), "is unknown") {
			t.Errorf("%s: %v", k, err)
		}
	}
}
