package scontrol

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"fairbridge/bridge/slurm"
)

// switchLine is a switch of a topology: what it joins.
type switchLine struct {
	nodes    []string // by itself or through others
	switches []string // directly; nil: none, it is a leaf
}

// ReadTopology returns, for each node, its switches from the lowest upwards, as "scontrol show topology" prints
// them. A Slurm whose topology is flat, or of another kind than a tree, has none.
func (c Command) ReadTopology(ctx context.Context) (map[string][]string, error) {
	out, err := c.run(ctx, "show", "topology")
	if err != nil {
		return nil, err
	}
	return ParseTopology(out)
}

// ParseTopology reads lines "SwitchName=s4 Level=1 LinkSpeed=1 Nodes=n[0-7] Switches=s[0-1]". Other lines are passed
// over. Where several topologies are printed, the first that names a switch holds.
func ParseTopology(text []byte) (map[string][]string, error) {
	all := map[string]switchLine{}
	for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
		fields := map[string]string{}
		for _, f := range strings.Fields(s.Text()) {
			k, v, _ := strings.Cut(f, "=")
			fields[k] = v
		}
		name := fields["SwitchName"]
		if _, known := all[name]; name == "" || known {
			continue
		}
		var line switchLine
		for list, into := range map[string]*[]string{"Nodes": &line.nodes, "Switches": &line.switches} {
			if v := fields[list]; v != "" && v != "(null)" {
				var err error
				if *into, err = slurm.ExpandHosts(v); err != nil {
					return nil, fmt.Errorf("reading the topology: switch %s: %s: %w", name, list, err)
				}
			}
		}
		all[name] = line
	}
	return pathsOf(all)
}

// pathsOf returns the switches of each node upwards.
func pathsOf(all map[string]switchLine) (map[string][]string, error) {
	parents := map[string]string{}
	for _, name := range sortedNames(all) {
		for _, below := range all[name].switches {
			if other, known := parents[below]; known {
				return nil, fmt.Errorf("reading the topology: switch %s is below %s and %s; a tree has one above each", below, other, name)
			}
			parents[below] = name
		}
	}
	paths := map[string][]string{}
	for _, name := range sortedNames(all) {
		if len(all[name].switches) > 0 {
			continue
		}
		path, err := pathFrom(name, parents)
		if err != nil {
			return nil, err
		}
		for _, node := range all[name].nodes {
			if paths[node] == nil {
				paths[node] = path
			}
		}
	}
	return paths, nil
}

// pathFrom returns a switch and those above it.
func pathFrom(name string, parents map[string]string) ([]string, error) {
	var path []string
	for at := name; at != ""; at = parents[at] {
		if slices.Contains(path, at) {
			return nil, fmt.Errorf("reading the topology: switch %s is below itself", at)
		}
		path = append(path, at)
	}
	return path, nil
}

func sortedNames(all map[string]switchLine) []string {
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
