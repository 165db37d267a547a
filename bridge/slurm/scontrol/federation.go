package scontrol

import (
	"bufio"
	"bytes"
	"context"
	"strings"
)

// ReadFederation returns the federation that the cluster is a member of, "" when it is in
// none, and the names of its other members, as "scontrol show federation" prints them.
func (c Command) ReadFederation(ctx context.Context) (name string, siblings []string, err error) {
	out, err := c.run(ctx, "show", "federation")
	if err != nil {
		return "", nil, err
	}
	name, siblings = parseFederation(out)
	return name, siblings, nil
}

// parseFederation reads lines like "Federation: both" and "Sibling:    other:10.0.0.2:6817 ID:2 …".
func parseFederation(text []byte) (name string, siblings []string) {
	for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
		words := strings.Fields(s.Text())
		if len(words) < 2 {
			continue
		}
		switch words[0] {
		case "Federation:":
			name = words[1]
		case "Sibling:":
			sibling, _, _ := strings.Cut(words[1], ":")
			siblings = append(siblings, sibling)
		}
	}
	return name, siblings
}
