package chaos

// KnownBreach is a rule that is not kept in every seed yet.
type KnownBreach struct {
	MaxBrokenSeedsOf200 int    // seeds of 200 in which it may be broken, before it is an error
	Reason              string // and the point of the tracker that is to mend it
}

// KnownBreachByRule are the rules of the oracle, by name, that are not kept in every seed
// today. A breach of one is counted and goes on, unless Overrides.ReportsKnownBreaches is
// set.
var KnownBreachByRule = map[string]KnownBreach{
	"I3 after a lost answer":                    {10, lostAnswerReason},
	"forgot after a lost answer":                {4, lostAnswerReason},
	"dead: nice after a lost answer":            {4, lostAnswerReason},
	"dead: site factor after a lost answer":     {4, lostAnswerReason},
	"released: nice after a lost answer":        {4, lostAnswerReason},
	"released: site factor after a lost answer": {4, lostAnswerReason},
	"lost: nice after a lost answer":            {4, lostAnswerReason},

	"I3":                                   {4, "A2: a nice that somebody set between our read and our write, and one that a direct priority wiped from a task that had it from its array"},
	"forgot in a task after a lost answer": {4, lostAnswerReason},

	"I18": {2, "B10: a job that was unlisted while it was requeued; in the record in memory, which simulations use"},
	"I16": {4, "A3: a number whose call came late, after the database was put back, is lowered by the little it was above the last that is known"},
	"I21": {4, "A1: as I8, where the GPUs that are short are on nodes set aside"},
	"I8":  {4, "A1: a stop for a job that would still lack GPUs"},
}

const (
	lostAnswerReason = "A2, A3: a call of ours without an answer, or a database put back, and a change by a person soon after it: whose value it is is then guessed wrong"
)
