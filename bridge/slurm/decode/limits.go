package decode

import (
	"fairbridge/bridge/slurm/internal/jsonscan"
)

// Limits bound what is believed of a reply. Zero fields mean the defaults.
type Limits struct {
	ReplyBytes  int64 // whole reply; default 256 MiB
	StringBytes int   // bytes of a kept string; a longer one is unreadable; default 1 MiB
	Depth       int   // nesting; default 64
	ListItems   int   // items of a list of strings or results; default 100,000
}

// withDefaults fills in what is zero.
func (l Limits) withDefaults() Limits {
	if l.ReplyBytes == 0 {
		l.ReplyBytes = 256 << 20
	}
	if l.StringBytes == 0 {
		l.StringBytes = 1 << 20
	}
	if l.Depth == 0 {
		l.Depth = 64
	}
	if l.ListItems == 0 {
		l.ListItems = 100_000
	}
	return l
}

// scannerLimits returns the bounds of the document.
func (l Limits) scannerLimits() jsonscan.Limits {
	return jsonscan.Limits{DocumentBytes: l.ReplyBytes, KeyBytes: l.StringBytes, Depth: l.Depth}
}

// valueStatus says what was found where a value should be.
type valueStatus = jsonscan.Status

const (
	statusAbsent     = jsonscan.StatusAbsent
	statusFound      = jsonscan.StatusFound
	statusInfinite   = jsonscan.StatusInfinite
	statusUnreadable = jsonscan.StatusUnreadable
)
