package slurm

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestParseGRES(t *testing.T) {
	for s, want := range map[string][]GRES{
		"":                      nil,
		"(null)":                nil,
		"N/A":                   nil,
		"gpu":                   {{Name: "gpu", Count: 1}},
		"gpu:4":                 {{Name: "gpu", Count: 4}},
		"gpu:a100:8":            {{Name: "gpu", Type: "a100", Count: 8}},
		"gpu:a100":              {{Name: "gpu", Type: "a100", Count: 1}},
		"gpu:a100:8(S:0-1)":     {{Name: "gpu", Type: "a100", Count: 8}},
		"gpu:a100:4(IDX:0-3)":   {{Name: "gpu", Type: "a100", Count: 4, DeviceIndexes: []int{0, 1, 2, 3}}},
		"gpu:a100:3(IDX:0,2-3)": {{Name: "gpu", Type: "a100", Count: 3, DeviceIndexes: []int{0, 2, 3}}},
		"gpu:(null):0(IDX:N/A)": {{Name: "gpu"}},
		"gpu:(null):2(IDX:4-5)": {{Name: "gpu", Count: 2, DeviceIndexes: []int{4, 5}}},
		"gpu:a100:0(IDX:N/A)":   {{Name: "gpu", Type: "a100"}},
		"gpu:1g.5gb:7":          {{Name: "gpu", Type: "1g.5gb", Count: 7}},
		"gpu:1g.5gb":            {{Name: "gpu", Type: "1g.5gb", Count: 1}},
		"gpu:nvidia_a100_3g.20gb:2(IDX:0-1)": {
			{Name: "gpu", Type: "nvidia_a100_3g.20gb", Count: 2, DeviceIndexes: []int{0, 1}}},
		"gpu:a100:2(IDX:0-1),gpu:h100:1(IDX:7),shard:a100:3(0/8,3/8)": {
			{Name: "gpu", Type: "a100", Count: 2, DeviceIndexes: []int{0, 1}},
			{Name: "gpu", Type: "h100", Count: 1, DeviceIndexes: []int{7}},
			{Name: "shard", Type: "a100", Count: 3, DeviceIndexes: []int{1}}},
		"gpu:a100:1(IDX:0),shard:a100:6(-/4,4/4,2/4,0/4)": { // 26.05
			{Name: "gpu", Type: "a100", Count: 1, DeviceIndexes: []int{0}},
			{Name: "shard", Type: "a100", Count: 6, DeviceIndexes: []int{1, 2}}},
		"shard:a100:2(IDX:1-2),mps:a100:0(IDX:N/A)": { // 22.05, where the count is that of the GPUs
			{Name: "shard", Type: "a100", Count: 2, DeviceIndexes: []int{1, 2}},
			{Name: "mps", Type: "a100"}},
		"mps:a100:30(30/100,0/100)":      {{Name: "mps", Type: "a100", Count: 30, DeviceIndexes: []int{0}}},
		"bandwidth:lustre:no_consume:4K": {{Name: "bandwidth", Type: "lustre", Count: 4096}},
		"gpu:a100:2(IDX:0-1)(S:0)":       {{Name: "gpu", Type: "a100", Count: 2, DeviceIndexes: []int{0, 1}}},
	} {
		got, err := parseGRESList(s)
		if err != nil {
			t.Errorf("parseList(%q): %v", s, err)
		} else if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("parseList(%q) (-want +got):\n%s", s, diff)
		}
	}
}

func TestParseRequest(t *testing.T) {
	gpu := func(typ string, n int) []GRES { return []GRES{{Name: "gpu", Type: typ, Count: n}} }
	for s, want := range map[string][]GRES{
		"":                          nil,
		"gres/gpu:a100:4":           gpu("a100", 4),
		"gres:gpu:a100:4":           gpu("a100", 4),
		"gres:gpu:2":                gpu("", 2),
		"gpu:2":                     gpu("", 2),
		"gres/gpu=8":                gpu("", 8),
		"gres/gpu:a100=8":           gpu("a100", 8),
		"cpu=8":                     {},
		"cpu:8,gres/gpu:1":          gpu("", 1),
		"gres/gpu:a:1,gres/gpu:b:2": {{Name: "gpu", Type: "a", Count: 1}, {Name: "gpu", Type: "b", Count: 2}},
	} {
		got, err := parseGRESRequest(s)
		if err != nil {
			t.Errorf("parseRequest(%q): %v", s, err)
		} else if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("parseRequest(%q) (-want +got):\n%s", s, diff)
		}
	}
}

func TestParseGRESRefuses(t *testing.T) {
	for s, position := range map[string]int{
		",":                                1,
		"gpu,":                             5,
		"gpu:":                             5,
		"gpu::2":                           5,
		"gpu:a100:2:b:c":                   10,
		"gpu:a100:-1":                      10,
		"gpu:a100:2(IDX:0-3":               11,
		"gpu:a100:2(IDX:x)":                16,
		"gpu:a100:2(IDX:3-1)":              16,
		"gpu:a100:2(IDX:1,1)":              18,
		"gpu:a100:2(IDX:0;1)":              17,
		"gpu:a100:2(IDX:0-999999999)":      16,
		"gpu:a100:2)":                      11,
		"gpu:a100:99999999999999999999999": 10,
		"gres/":                            6,
	} {
		got, err := parseGRESList(s)
		if err == nil {
			t.Errorf("parseList(%q) = %+v, want an error", s, got)
		} else if want := fmt.Sprintf("position %d:", position); !strings.Contains(err.Error(), want) {
			t.Errorf("parseList(%q): %v, want %s", s, err, want)
		}
	}
}

// gresText writes a list the way Slurm does.
func gresText(list []GRES) string {
	var items []string
	for _, g := range list {
		s := g.Name
		if g.Type != "" {
			s += ":" + g.Type
		}
		s += fmt.Sprintf(":%d", g.Count)
		if g.DeviceIndexes != nil {
			var idx []string
			for _, i := range g.DeviceIndexes {
				idx = append(idx, fmt.Sprint(i))
			}
			s += "(IDX:" + strings.Join(idx, ",") + ")"
		}
		items = append(items, s)
	}
	return strings.Join(items, ",")
}

func TestGRESRoundTrip(t *testing.T) {
	one := rapid.Custom(func(t *rapid.T) GRES {
		g := GRES{
			Name:  rapid.SampledFrom([]string{"gpu", "shard", "mps"}).Draw(t, "name"),
			Type:  rapid.StringMatching(`|[a-z][a-z0-9_.]{0,8}|[1-7]g\.[0-9]{1,2}gb`).Draw(t, "type"),
			Count: rapid.IntRange(0, 1000).Draw(t, "count"),
		}
		if g.Type == "no_consume" {
			g.Type = ""
		}
		for i := 0; i < rapid.IntRange(0, 5).Draw(t, "n"); i++ {
			g.DeviceIndexes = append(g.DeviceIndexes, i*3)
		}
		return g
	})
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfN(one, 1, 5).Draw(t, "list")
		got, err := parseGRESList(gresText(want))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s (-want +got):\n%s", gresText(want), diff)
		}
	})
}

func FuzzGRES(f *testing.F) {
	for _, s := range []string{"gpu:a100:8(S:0-1)", "gpu:(null):0(IDX:N/A)", "gpu:1g.5gb:7,shard:2", "gres/gpu=4", "gpu:2(IDX:0-1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		list, err := parseGRESList(s)
		if err != nil || len(list) == 0 {
			return
		}
		again, err := parseGRESList(gresText(list))
		if err != nil {
			t.Fatalf("%q: %v", gresText(list), err)
		}
		if diff := cmp.Diff(list, again); diff != "" {
			t.Fatalf("%q, %q:\n%s", s, gresText(list), diff)
		}
	})
}
