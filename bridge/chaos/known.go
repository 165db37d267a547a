package chaos

import (
	"fairbridge/bridge/chaos/event"
)

// Residue is a rule that is not kept in every seed yet.
type Residue struct {
	SeedsOf200 int    // seeds of 200 in which it may be broken, before it is an error
	Why        string // and the point of the tracker that is to mend it
}

// KnownResidue are the rules of the oracle, by name, that are not kept in every seed
// today. A breach of one is counted and goes on, unless Parts.All is set.
var KnownResidue = map[string]Residue{
	"I3 after a lost answer":                    {10, answerRules},
	"forgot after a lost answer":                {4, answerRules},
	"dead: nice after a lost answer":            {4, answerRules},
	"dead: site factor after a lost answer":     {4, answerRules},
	"released: nice after a lost answer":        {4, answerRules},
	"released: site factor after a lost answer": {4, answerRules},
	"lost: nice after a lost answer":            {4, answerRules},

	"I3":                                   {4, "A2: a nice that somebody set between our read and our write, and one that a direct priority wiped from a task that had it from its array"},
	"forgot in a task after a lost answer": {4, answerRules},

	"I18": {2, "B10: a job that was unlisted while it was requeued; in the record in memory, which simulations use"},
	"I16": {4, "A3: a number whose call came late, after the database was put back, is lowered by the little it was above the last that is known"},
	"I21": {4, "A1: as I8, where the GPUs that are short are on nodes set aside"},
	"I8":  {4, "A1: a stop for a job that would still lack GPUs"},
}

const (
	answerRules = "A2, A3: a call of ours without an answer, or a database put back, and a change by a person soon after it: whose value it is is then guessed wrong"
)

// KnownKinds are the kinds of events that are not survived today, with the point
// that is to mend it. Draw leaves them out.
var KnownKinds = map[event.Kind]string{
	event.Private: "B10: rights that are lost while PrivateData hides jobs make Slurm say of each that it does not know it",
}
