package engine

import (
	"fmt"
)

// queue counts the jobs that wait, for the reasons given to those behind them.
type queue struct {
	terse    bool // only count them
	waiting  int
	accounts map[string]int // how many of them, by account
	largest  string         // the account with most
}

// add counts one more job that waits.
func (q *queue) add(e *Entry) {
	if q.waiting++; q.terse {
		return
	}
	q.accounts[e.Account]++
	if n, most := q.accounts[e.Account], q.accounts[q.largest]; n > most {
		q.largest = e.Account
	}
}

// describeAhead says which jobs are before the next one in the queue.
func (q *queue) describeAhead() string {
	switch q.waiting {
	case 0:
		return "nobody waits ahead"
	case 1:
		return "1 job of account " + q.largest + " waits ahead"
	}
	return fmt.Sprintf("%d jobs wait ahead, %d of them of account %s", q.waiting, q.accounts[q.largest], q.largest)
}

// nextOrdinal prints the place of the next job in the queue: 1st, 2nd, 3rd, 4th, …
func (q *queue) nextOrdinal() string {
	n, suffix := q.waiting+1, "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return fmt.Sprintf("%d%s", n, suffix)
}
