package pseudonym

import (
	"regexp"
	"strings"
)

// address6 finds what may be an IPv6 address, with the end of a sentence or a port after it.
var address6 = regexp.MustCompile(`\[?[0-9A-Fa-f]*:[0-9A-Fa-f:.]*:[0-9A-Fa-f.]*\]?`)

var (
	group6  = regexp.MustCompile(`^[0-9A-Fa-f]{1,4}$`)
	address = regexp.MustCompile(`^\d{1,3}(\.\d{1,3}){3}$`) // of IPv4
)

// address6 replaces the longest beginning that is an IPv6 address, which stands in brackets where a port follows.
func (m *Mapper) address6(s string) string {
	open := strings.TrimLeft(s, "[")
	for end := len(open); end > 1; end-- {
		if isAddress6(open[:end]) {
			return s[:len(s)-len(open)] + m.Name("text", open[:end]) + open[end:]
		}
	}
	return s
}

// isAddress6 reports whether a text is an IPv6 address by RFC 4291, section 2.2, without a zone. Times such as
// 12:30:05 are none: they have too few groups.
func isAddress6(s string) bool {
	head, tail, isShort := strings.Cut(s, "::")
	count, ok := countGroups(head, !isShort)
	more, isTail := countGroups(tail, true)
	return ok && isTail && (isShort && count+more < 8 || count+more == 8)
}

// countGroups counts the groups of 16 bits of a part; the last may be an IPv4 address, of two.
func countGroups(s string, isEnd bool) (n int, ok bool) {
	if s == "" {
		return 0, true
	}
	list := strings.Split(s, ":")
	for i, g := range list {
		switch {
		case group6.MatchString(g):
			n++
		case isEnd && i == len(list)-1 && address.MatchString(g):
			n += 2
		default:
			return 0, false
		}
	}
	return n, true
}
