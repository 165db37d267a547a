package catalogue

import (
	"slices"

	"fairbridge/policy/paper"
)

// Group is systems that need the same and are good for the same.
type Group struct {
	Title   string         `json:"title"`
	Needs   string         `json:"needs"`    // of jobs, beyond what Slurm shows of them
	GoodFor string         `json:"good_for"` // in a line
	Systems []paper.System `json:"-"`        // sorted by name
}

// groupNames are the groups, those that need least first, each system in one.
var groupNames = []struct {
	Group
	names []string
}{
	{Group{Title: "Turns and shares", Needs: "nothing; where jobs may be stopped, that they say so",
		GoodFor: "a first step; accounts that are to get what they are due, whatever their jobs are like"},
		[]string{"astraea", "drf", "easy", "fifo", "gandiva-fair", "hived", "hug", "multifactor", "proportional"}},
	{Group{Title: "Short jobs first", Needs: "how long jobs run, as learnt from history or told by their limits; tiresias needs nothing",
		GoodFor: "mean completion where short jobs wait behind long ones"},
		[]string{"fairbridge", "pcs", "qssf", "sjf", "srtf", "tiresias"}},
	{Group{Title: "Fair finishes", Needs: "how long jobs run, from their own reports; that they may be stopped",
		GoodFor: "every job to end about when an equal part of the cluster would have let it"},
		[]string{"carbyne", "shockwave", "themis"}},
	{Group{Title: "Several GPU types", Needs: "how fast jobs go on each type, from their reports or data sheets",
		GoodFor: "clusters of GPUs of several generations, and jobs that take any of them"},
		[]string{"allox", "apollo", "gavel", "heterog"}},
	{Group{Title: "Sizes", Needs: "that jobs declare a range, and how fast they go on other sizes, from their reports or earlier runs",
		GoodFor: "elastic jobs, and clusters that are now empty and now full"},
		[]string{"afs", "dl2", "elan", "metis", "optimus", "pollux", "ref", "sia", "slaq"}},
	{Group{Title: "Deadlines and services", Needs: "deadlines that owners declare, or inference services with their demand; how long jobs run",
		GoodFor: "work that is due at a time, and training beside services that must answer in time"},
		[]string{"by-deadline", "chronus", "edf", "elasticflow", "karuna", "pipeswitch", "swayam"}},
	{Group{Title: "Beside whom", Needs: "owners who accept neighbours, and what jobs use of a GPU, its memory and the cores, as measured",
		GoodFor: "GPUs that jobs leave half idle"},
		[]string{"antman", "gandiva", "harmony", "harmony-rl", "lucid", "mlf-rl", "mlfs", "muri", "salus", "symphony", "symphony-net", "synergy"}},
}

// Groups returns the catalogue by groups.
func Groups() []Group {
	all := Systems()
	var groups []Group
	for _, g := range groupNames {
		for _, e := range all {
			if slices.Contains(g.names, e.Name) {
				g.Systems = append(g.Systems, e)
			}
		}
		groups = append(groups, g.Group)
	}
	return groups
}
