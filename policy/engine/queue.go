package engine

import "strconv"

// waitingQueue counts the jobs that wait, for the reasons given to those behind them.
type waitingQueue struct {
	omitsReasons          bool // only count them
	waitingCount          int
	waitingCountByAccount map[string]int // how many of them, by account
	largestAccount        string         // the account with most
}

// add counts one more job that waits.
func (q *waitingQueue) add(e *Entry) {
	if q.waitingCount++; q.omitsReasons {
		return
	}
	q.waitingCountByAccount[e.Account]++
	if n, most := q.waitingCountByAccount[e.Account], q.waitingCountByAccount[q.largestAccount]; n > most {
		q.largestAccount = e.Account
	}
}

// describeAhead says which jobs are before the next one in the queue.
func (q *waitingQueue) describeAhead() string {
	switch q.waitingCount {
	case 0:
		return "no job waits ahead"
	case 1:
		return "1 job of account " + q.largestAccount + " waits ahead"
	}
	ofLargest := strconv.Itoa(q.waitingCountByAccount[q.largestAccount])
	return strconv.Itoa(q.waitingCount) + " jobs wait ahead, " + ofLargest + " of them of account " + q.largestAccount
}

// nextOrdinal prints the place of the next job in the queue: 1st, 2nd, 3rd, 4th, …
func (q *waitingQueue) nextOrdinal() string {
	n, suffix := q.waitingCount+1, "th"
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
	return strconv.Itoa(n) + suffix
}
