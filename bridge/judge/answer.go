package judge

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// Answer is what Slurm says about one job or node.
type Answer string

// The answers. No answer is "".
const (
	AnswerGone    Answer = "gone"  // Slurm does not know it
	AnswerPresent Answer = "there" // it is there, whatever its state
)

// Answers are what Slurm says about single jobs, by id, and nodes, by name, that
// a view leaves out.
type Answers struct {
	AnswerByJob  map[int64]Answer
	AnswerByNode map[string]Answer
}

// missingByAnswer is what is missing by its answers, and what else was asked about
// and is there.
type missingByAnswer struct {
	goneCount                     int
	presentNames, unansweredNames []string
}

func groupByAnswer[K cmp.Ordered](missing []K, answers map[K]Answer) missingByAnswer {
	var c missingByAnswer
	for _, k := range missing {
		switch answers[k] {
		case AnswerGone:
			c.goneCount++
		case "":
			c.unansweredNames = append(c.unansweredNames, fmt.Sprint(k))
		}
	}
	for _, k := range slices.Sorted(maps.Keys(answers)) {
		if answers[k] == AnswerPresent {
			c.presentNames = append(c.presentNames, fmt.Sprint(k))
		}
	}
	return c
}
