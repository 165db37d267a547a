package slurm

import (
	"fmt"
	"slices"
	"strings"
)

// Signal is a signal that a job's script can be warned with. The list is
// closed: to Slurm a name that it does not know, and none at all, mean kill.
type Signal string

// The signals. A script that does not trap one is ended by it, except by CONT.
const (
	USR1 Signal = "USR1"
	USR2 Signal = "USR2"
	HUP  Signal = "HUP"
	INT  Signal = "INT"
	TERM Signal = "TERM"
	CONT Signal = "CONT"
)

// Signals are all of them.
var Signals = []Signal{USR1, USR2, HUP, INT, TERM, CONT}

// ParseSignal reads the name of a signal, with or without SIG.
func ParseSignal(name string) (Signal, error) {
	s := Signal(strings.TrimPrefix(name, "SIG"))
	if !s.IsKnown() {
		return "", fmt.Errorf("%.20q is not one of the signals %v", name, Signals)
	}
	return s, nil
}

// IsKnown reports whether the signal is on the list.
func (s Signal) IsKnown() bool { return slices.Contains(Signals, s) }
