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
	AnswerGone  Answer = "gone"  // Slurm does not know it
	AnswerThere Answer = "there" // it is there, whatever its state
)

// Answers are what Slurm says about single jobs, by id, and nodes, by name, that
// a view leaves out.
type Answers struct {
	AnswerByJob  map[int64]Answer
	AnswerByNode map[string]Answer
}

// missingCounts sorts what is missing by its answers, and adds what else was asked
// about and is there.
type missingCounts struct {
	gone        int
	there, open []string
}

func countAnswers[K cmp.Ordered](missing []K, answers map[K]Answer) missingCounts {
	var c missingCounts
	for _, k := range missing {
		switch answers[k] {
		case AnswerGone:
			c.gone++
		case "":
			c.open = append(c.open, fmt.Sprint(k))
		}
	}
	for _, k := range slices.Sorted(maps.Keys(answers)) {
		if answers[k] == AnswerThere {
			c.there = append(c.there, fmt.Sprint(k))
		}
	}
	return c
}
