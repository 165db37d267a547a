package slurm

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestExpandHosts(t *testing.T) {
	for list, want := range map[string][]string{
		"":                          nil,
		"(null)":                    nil,
		"n1":                        {"n1"},
		"n2,n1,n2":                  {"n1", "n2"},
		"n[1-3,7]":                  {"n1", "n2", "n3", "n7"},
		"n[08-11]":                  {"n08", "n09", "n10", "n11"},
		"n[098-101]":                {"n098", "n099", "n100", "n101"},
		"n[9-10]":                   {"n10", "n9"},
		"rack[0-1]u[01-02]":         {"rack0u01", "rack0u02", "rack1u01", "rack1u02"},
		"n[1-2]-ib.cluster,login-1": {"login-1", "n1-ib.cluster", "n2-ib.cluster"},
		"[1-2]":                     {"1", "2"},
		"a[1][2][3-4]b":             {"a123b", "a124b"},
		"n[000]":                    {"n000"},
	} {
		got, err := ExpandHosts(list)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("ExpandHosts(%q) = %q, %v, want %q", list, got, err, want)
		}
	}
}

func TestExpandHostsRefuses(t *testing.T) {
	for list, position := range map[string]int{
		",":                             1,
		"a,,b":                          3,
		"a,":                            3,
		"n[1-3":                         6,
		"n[":                            3,
		"n[]":                           3,
		"n[1-]":                         5,
		"n[3-1]":                        6,
		"n[a-c]":                        3,
		"n[1;2]":                        4,
		"n[1,[2-3]]":                    5,
		"n]":                            2,
		"n 1":                           2,
		"None assigned":                 5,
		"n\x00":                         2,
		"n[1-100001]":                   11,
		"n[1-1000]m[1-1000]":            19,
		"n[1-9999999999999999]":         21,
		"n[12345678901234567890]":       23,
		strings.Repeat("x", 256):        257,
		"n[1-60000],m[1-60000]":         22,
		strings.Repeat("n[0-9]", 40000): 37,
	} {
		got, err := ExpandHosts(list)
		if err == nil {
			t.Errorf("ExpandHosts(%s) = %d names, want an error", QuoteExcerpt(list), len(got))
			continue
		}
		if want := fmt.Sprintf("position %d:", position); !strings.Contains(err.Error(), want) {
			t.Errorf("ExpandHosts(%s): %v, want %s", QuoteExcerpt(list), err, want)
		}
		if len(err.Error()) > 300 {
			t.Errorf("error of %d bytes", len(err.Error()))
		}
	}
}

func TestCompressHosts(t *testing.T) {
	for want, names := range map[string][]string{
		"":                      nil,
		"n1":                    {"n1"},
		"n[1-3]":                {"n3", "n1", "n2", "n1"},
		"n[8-11]":               {"n8", "n9", "n10", "n11"},
		"n[08-11]":              {"n08", "n09", "n10", "n11"},
		"n[1-2,01-02]":          {"n1", "n2", "n01", "n02"},
		"a,n[1,3],z":            {"z", "n3", "n1", "a"},
		"n,n[1-2]":              {"n1", "n", "n2"},
		"r0u[1-2],r1u[1-2]":     {"r0u1", "r0u2", "r1u1", "r1u2"},
		"n12345678901234567890": {"n12345678901234567890"},
	} {
		got := CompressHosts(names)
		back, err := ExpandHosts(got)
		sorted := slices.Compact(slices.Sorted(slices.Values(names)))
		if err != nil || !slices.Equal(back, sorted) {
			t.Errorf("CompressHosts(%q) = %q, which expands to %q, %v", names, got, back, err)
		}
		if got != want {
			t.Errorf("CompressHosts(%q) = %q, want %q", names, got, want)
		}
	}
}

func TestHostsRoundTrip(t *testing.T) {
	name := rapid.StringMatching(`(n|gpu-|r[0-3]u|x|)[0-9]{1,4}|login|a-b\.c|n1-ib`)
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfN(name, 0, 60).Draw(t, "names")
		list := CompressHosts(names)
		got, err := ExpandHosts(list)
		if err != nil {
			t.Fatalf("ExpandHosts(%q): %v", list, err)
		}
		if diff := cmp.Diff(slices.Compact(slices.Sorted(slices.Values(names))), got); diff != "" && len(names) > 0 {
			t.Fatalf("%q (-want +got):\n%s", list, diff)
		}
		if again := CompressHosts(got); again != list {
			t.Fatalf("not stable: %q, then %q", list, again)
		}
		if !ReadHosts(list).SameAs(names) {
			t.Fatalf("SameHosts(%q, %q) is false", list, names)
		}
		if len(got) > 0 && ReadHosts(list).SameAs(got[1:]) {
			t.Fatalf("SameHosts(%q) does not miss %q", list, got[0])
		}
	})
}

func TestSameHosts(t *testing.T) {
	tests := []struct {
		list  string
		nodes []string
		want  bool
	}{
		{"", nil, true},
		{"n[1-2]", []string{"n2", "n1"}, true},
		{"n[1-2]", []string{"n2", "n1", "n1"}, true},
		{"n[1-2]", []string{"n1"}, false},
		{"", []string{"n1"}, false},
		{"n[1-", []string{"n1"}, false},
		{"n[1-", nil, false},
	}
	for _, tt := range tests {
		before := slices.Clone(tt.nodes)
		if got := ReadHosts(tt.list).SameAs(tt.nodes); got != tt.want {
			t.Errorf("SameHosts(%q, %q) = %v", tt.list, tt.nodes, got)
		}
		if !slices.Equal(before, tt.nodes) {
			t.Errorf("SameHosts(%q) changed its argument to %q", tt.list, tt.nodes)
		}
	}
}

func FuzzHosts(f *testing.F) {
	for _, s := range []string{"n1", "n[1-3,7],m", "rack[0-1]u[01-02]", "n[9-1]", "n[[1]]", "a,,b", "[0-1][0-1]x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		hosts, err := ExpandHosts(s)
		if err != nil {
			return
		}
		if len(hosts) > maxHosts || !slices.IsSorted(hosts) {
			t.Fatalf("%d hosts, sorted %v", len(hosts), slices.IsSorted(hosts))
		}
		again, err := ExpandHosts(CompressHosts(hosts))
		if err != nil || !slices.Equal(hosts, again) {
			t.Fatalf("%q: %q became %q, %v", s, hosts, again, err)
		}
	})
}
