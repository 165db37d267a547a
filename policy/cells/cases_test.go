package cells_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"fairbridge/policy/cells"
)

// shared are the published scheduler's cases, which may be missing; ownCases are ours, taken down the same way.
const (
	shared   = "../../../shared/traces/hived/hived-cases.json"
	ownCases = "testdata/cases.json"
)

// caseCell, caseStep and caseFile are the cases as they were taken down.
type caseCell struct {
	Type    string         `json:"type"`
	Node    string         `json:"node"`
	Devices []int          `json:"gpus_in_tree_order"`
	Cells   []caseCell     `json:"cells"`
	Pinned  string         `json:"pinned"`
	Pins    map[string]int `json:"pinned_gpus"`
}

type caseExpectation struct {
	Result  string              `json:"result"`
	Node    string              `json:"node"`
	Devices []int               `json:"gpu_indices"`
	Chain   string              `json:"chain"`
	Why     string              `json:"why"`
	Victims map[string][]string `json:"victims_by_node"`
	Subset  []string            `json:"victims_subset_of"`
	Nodes   []string            `json:"reserves_nodes"`
	Groups  map[string]string   `json:"groups_after"`
}

type caseStep struct {
	Do        string                     `json:"do"`
	What      string                     `json:"what"`
	Node      string                     `json:"node"`
	Pod       string                     `json:"pod"`
	VC        string                     `json:"vc"`
	Priority  int                        `json:"priority"`
	Lazy      bool                       `json:"lazy_preemption"`
	Type      string                     `json:"gpu_type"`
	Devices   int                        `json:"gpus"`
	Group     string                     `json:"group"`
	Members   []struct{ GPUs, Pods int } `json:"group_members"`
	Phase     string                     `json:"phase"`
	Suggested json.RawMessage            `json:"suggested_nodes"`
	Pinned    string                     `json:"pinned_cell"`
	After     string                     `json:"after"`
	Expect    json.RawMessage            `json:"expect"`
}

type caseFile struct {
	Types map[string]struct {
		Child    string `json:"child"`
		Children int    `json:"children"`
		IsNode   bool   `json:"node_level"`
	} `json:"cell_types"`
	Physical []caseCell `json:"physical_cells"`
	VCs      map[string]struct {
		Cells []struct {
			Path   string `json:"path"`
			Number int    `json:"number"`
		} `json:"cells"`
		Pinned []string `json:"pinned"`
	} `json:"virtual_clusters"`
	Base struct {
		Order map[string][]string `json:"chain_order"`
	} `json:"base"`
	Scenarios []struct {
		Name    string                     `json:"name"`
		Changes map[string]json.RawMessage `json:"config_changes"`
		Steps   []caseStep                 `json:"steps"`
	} `json:"scenarios"`
}

func readCases(t *testing.T, path string) caseFile {
	t.Helper()
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		t.Skipf("the cases of the published scheduler are not here: %v", err)
	}
	var f caseFile
	if err == nil {
		err = json.Unmarshal(data, &f)
	}
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// config is the configuration of a scenario.
func (f *caseFile) config(t *testing.T, changes map[string]json.RawMessage) cells.Config {
	c := cells.Config{Types: map[string]cells.Type{}, ChainOrder: f.Base.Order}
	for name, typ := range f.Types {
		c.Types[name] = cells.Type{Child: typ.Child, Count: typ.Children, IsNode: typ.IsNode}
	}
	for _, p := range f.Physical {
		c.Physical = append(c.Physical, p.convert())
	}
	for _, name := range slices.Sorted(maps.Keys(f.VCs)) {
		v := cells.VirtualCluster{Name: name, Pinned: f.VCs[name].Pinned}
		for i, q := range f.VCs[name].Cells {
			path, number := q.Path, q.Number
			change(t, changes, fmt.Sprintf("%s.cells[%d].path", name, i), &path)
			change(t, changes, fmt.Sprintf("%s.cells[%d].number", name, i), &number)
			types := strings.Split(path, ".")
			v.Cells = append(v.Cells, cells.Quota{Chain: types[0], Type: types[len(types)-1], Number: number})
		}
		c.VirtualClusters = append(c.VirtualClusters, v)
	}
	return c
}

func change(t *testing.T, changes map[string]json.RawMessage, name string, value any) {
	if text, ok := changes[name]; ok {
		if err := json.Unmarshal(text, value); err != nil {
			t.Fatal(err)
		}
	}
}

func (p caseCell) convert() cells.Physical {
	out := cells.Physical{Type: p.Type, Node: p.Node, Devices: p.Devices, Pinned: p.Pinned, PinnedDevices: p.Pins}
	for _, c := range p.Cells {
		out.Cells = append(out.Cells, c.convert())
	}
	return out
}
