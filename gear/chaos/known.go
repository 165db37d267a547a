package chaos

import "fairbridge/gear/chaos/oracle"

// Known is a cause for which rules are not kept in every seed.
type Known struct {
	MaxSeedsOf200 int      // seeds of 200 in which it may show, before it is an error
	Rules         []string // of a breach: the beginnings of the names that it may break; nil: an excuse of the oracle
	Reason        string
}

// KnownByCause are the causes, as the oracle proves them of a breach by what happened before to that job and field. A
// breach of one of its rules is counted and goes on, unless Overrides.ReportsKnownBreaches is set; one without such
// a cause never is.
var KnownByCause = map[string]Known{
	oracle.CauseLostAnswer: {10, []string{"I3", "I12", "I16", "forgot", "dead: ", "released: ", "lost: "},
		"A2, A3: whose value it is, is then guessed wrong: a site factor that no record shows, or what a person set at that time"},
	oracle.CauseChangedAtOnce: {2, []string{"I3"}, "A2: what somebody set between our reading and our write"},
	oracle.CauseSameValue: {2, []string{"I12", "I3", "forgot", "dead: ", "released: ", "lost: "},
		"ownership is by value (decision 6), also where an accepted write or a person had removed it"},
	oracle.CauseSplitTask:     {2, []string{"I3"}, "A2: a task that is split off later is not left alone"},
	oracle.CauseOldView:       {1, []string{"I18"}, "it is taken for that of a clock that was put right"},
	oracle.CauseHiddenRequeue: {1, []string{"I18"}, "B10: in the record in memory, which simulations use"},

	oracle.ExcuseDatabasePutBack: {75, nil, "chaos plays no local journal, from which the product puts such rows back"},
	oracle.ExcuseLateCall:        {30, nil, "Slurm has no update on condition"},
	oracle.ExcuseLateUnread:      {2, nil, "Slurm has no update on condition"},
	oracle.ExcuseUnread:          {4, nil, "Slurm has no update on condition"},
	oracle.ExcuseNoAnswer:        {2, nil, "what stood there before a size of ours is not known then"},
	oracle.ExcuseChangedSince:    {10, nil, "Slurm has no update on condition"},
	oracle.ExcuseStoodStill:      {6, nil, "nothing recalls a call that is under way"},
}
