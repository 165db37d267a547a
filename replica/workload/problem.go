package workload

import "strconv"

// Problem is what is wrong with a line of a trace.
type Problem struct {
	File    string
	Line    int    // 0: the file as a whole
	Column  string // its name, or its number from 1; "": the whole line
	Message string // and what to do about it
}

// Error says where and what: file:line: column: what.
func (p Problem) Error() string {
	s := p.File
	if p.Line > 0 {
		s += ":" + strconv.Itoa(p.Line)
	}
	if p.Column != "" {
		s += ": " + p.Column
	}
	return s + ": " + p.Message
}
