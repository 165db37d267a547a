package slurmtest

// Call is one request as it arrived and what was answered.
type Call struct {
	Method     string
	Path       string // without the query
	Query      string
	Body       string
	User       string
	HTTPStatus int  // 0: no answer was sent
	IsWrite    bool // it could change something
}

// CallCounts are numbers of requests since the start or the last ForgetCalls.
type CallCounts struct{ Reads, Writes int }

// countCalls says how many of the calls were reads and writes.
func countCalls(calls []Call) CallCounts {
	var c CallCounts
	for i := range calls {
		if calls[i].IsWrite {
			c.Writes++
		} else {
			c.Reads++
		}
	}
	return c
}
