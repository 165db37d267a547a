package chaos

// Known are the rules of the oracle, by name, that are broken today, with the
// point of the tracker that is to mend them. A breach of one is no breach unless
// Parts.All is set.
var Known = map[string]string{
	"I3": "A2", "I7": "to be looked at", "I8": "to be looked at", "I10": "to be looked at", "I16": "to be looked at", "dead: nice": "A3",
	"forgot in a task":                "A3: tasks that are split off an array inherit our numbers, and the ledger does not know",
	"released: site factor of a task": "A3: likewise", "released: nice of a task": "A3: likewise", "lost: nice of a task": "A3: likewise",
}

// KnownKinds are the kinds of events that are not survived today, likewise. Draw
// leaves them out.
var KnownKinds = map[Kind]string{
	Private: "B10: rights that are lost while PrivateData hides jobs make Slurm say of each that it does not know it",
}
