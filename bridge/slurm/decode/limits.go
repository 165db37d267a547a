package decode

import (
	"fairbridge/bridge/slurm/internal/jsonscan"
)

// Limits bound what is believed of a reply. Zero fields mean the defaults.
type Limits struct {
	Bytes  int64 // whole reply; default 256 MiB
	String int   // bytes of a kept string; a longer one is unreadable; default 1 MiB
	Depth  int   // nesting; default 64
	List   int   // items of a list of strings or results; default 100,000
}

// defaults fills in what is zero.
func (l Limits) defaults() Limits {
	if l.Bytes == 0 {
		l.Bytes = 256 << 20
	}
	if l.String == 0 {
		l.String = 1 << 20
	}
	if l.Depth == 0 {
		l.Depth = 64
	}
	if l.List == 0 {
		l.List = 100_000
	}
	return l
}

// scan returns the bounds of the document.
func (l Limits) scan() jsonscan.Limits {
	return jsonscan.Limits{Bytes: l.Bytes, Key: l.String, Depth: l.Depth}
}

// status says what was found where a value should be.
type status = jsonscan.Status

const (
	absent     = jsonscan.Absent
	found      = jsonscan.Found
	infinite   = jsonscan.Infinite
	unreadable = jsonscan.Unreadable
)
