package trace

import (
	"bufio"
	"fmt"
	"strings"
)

// peeked is how much of a file its format is found out from.
const peeked = 64 << 10

// format is one way to write a trace.
type format struct {
	name string
	what string
	like func(head string) bool // whether a file beginning so is of it
	read func(*bufio.Reader, *sink) error
}

// formats are all, the ones that are most surely told from others first.
var formats = []format{
	{"shockwave", "Shockwave's and Gavel's: 12, 10 or 7 columns between tabs", likeTraining, readTraining},
}

// Format is a format by its name.
type Format struct{ Name, What string }

// Formats lists what can be read.
func Formats() []Format {
	var all []Format
	for _, f := range formats {
		all = append(all, Format{f.name, f.what})
	}
	return all
}

// find returns the format of that name, or the one the head looks like.
func find(name string, head []byte) (*format, error) {
	auto := name == "" || name == "auto"
	var known []string
	for i, f := range formats {
		if f.name == name || auto && f.like(string(head)) {
			return &formats[i], nil
		}
		known = append(known, f.name)
	}
	list := strings.Join(known, ", ")
	if !auto {
		return nil, fmt.Errorf("no format %q; there are %s", name, list)
	}
	first, _, _ := strings.Cut(string(head), "\n")
	return nil, fmt.Errorf("its format is not clear from a first line %q; say --format with one of %s", clip(first), list)
}

// clip shortens what is quoted in an error.
func clip(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
