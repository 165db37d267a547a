package trace

import (
	"fmt"
)

// maxShownChars is how much is quoted of a text that makes no sense.
const maxShownChars = 61

// unlocatedProblem is a workload.Problem that does not know its file and line yet.
type unlocatedProblem struct{ column, message string }

func (f *unlocatedProblem) Error() string { return f.column + ": " + f.message }

func newUnlocatedProblem(column, format string, a ...any) error {
	return &unlocatedProblem{column, fmt.Sprintf(format, a...)}
}
