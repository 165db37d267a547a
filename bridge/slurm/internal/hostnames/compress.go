// Package hostnames writes lists of host names as Slurm does.
package hostnames

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// numberedHost is a name split before its last digits.
type numberedHost struct {
	prefix string
	digits string // "" when the name does not end in digits that fit
	number int
}

// Compress returns the shortest hostlist of the kind Slurm writes, with
// ranges in the last number of a name: "n[01-04,7]".
func Compress(names []string) string {
	hosts := make([]numberedHost, len(names))
	for i, n := range names {
		hosts[i] = splitHostNumber(n)
	}
	slices.SortFunc(hosts, compareHosts)
	hosts = slices.Compact(hosts)
	var b strings.Builder
	for len(hosts) > 0 {
		n := 1
		for n < len(hosts) && hosts[n].prefix == hosts[0].prefix && hosts[n].digits != "" && hosts[0].digits != "" {
			n++
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		writeHosts(&b, hosts[:n])
		hosts = hosts[n:]
	}
	return b.String()
}

// splitHostNumber finds the last number of a name.
func splitHostNumber(name string) numberedHost {
	i := len(name)
	for i > 0 && '0' <= name[i-1] && name[i-1] <= '9' {
		i--
	}
	n, err := strconv.Atoi(name[i:])
	if err != nil || len(name)-i > 18 {
		return numberedHost{prefix: name}
	}
	return numberedHost{prefix: name[:i], digits: name[i:], number: n}
}

// compareHosts orders by prefix, then shorter numbers first, so that a run may
// go on from 9 to 10.
func compareHosts(a, b numberedHost) int {
	return cmp.Or(
		cmp.Compare(a.prefix, b.prefix),
		cmp.Compare(len(a.digits), len(b.digits)),
		cmp.Compare(a.number, b.number),
	)
}

// writeHosts writes sorted hosts of one prefix.
func writeHosts(b *strings.Builder, hosts []numberedHost) {
	b.WriteString(hosts[0].prefix)
	if len(hosts) == 1 {
		b.WriteString(hosts[0].digits)
		return
	}
	for i := 0; i < len(hosts); {
		b.WriteByte("[,"[min(i, 1)])
		from := hosts[i]
		last := from
		for i++; i < len(hosts) && extendsRange(from, last, hosts[i]); i++ {
			last = hosts[i]
		}
		b.WriteString(from.digits)
		if last != from {
			b.WriteString("-" + last.digits)
		}
	}
	b.WriteByte(']')
}

// extendsRange reports whether next continues the run from…last as a range that is
// padded like its first number.
func extendsRange(from, last, next numberedHost) bool {
	return next.number == last.number+1 && fmt.Sprintf("%0*d", len(from.digits), next.number) == next.digits
}
