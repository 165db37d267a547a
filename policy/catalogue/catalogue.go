// Package catalogue lists the scheduling systems there are.
package catalogue

import (
	"slices"

	"fairbridge/policy/paper"
	"fairbridge/policy/paper/afs"
	"fairbridge/policy/paper/allox"
	"fairbridge/policy/paper/antman"
	"fairbridge/policy/paper/apollo"
	"fairbridge/policy/paper/astraea"
	"fairbridge/policy/paper/bydeadline"
	"fairbridge/policy/paper/carbyne"
	"fairbridge/policy/paper/chronus"
	"fairbridge/policy/paper/dl2"
	"fairbridge/policy/paper/drf"
	"fairbridge/policy/paper/easy"
	"fairbridge/policy/paper/edf"
	"fairbridge/policy/paper/elan"
	"fairbridge/policy/paper/elasticflow"
	"fairbridge/policy/paper/fairbridge"
	"fairbridge/policy/paper/fifo"
	"fairbridge/policy/paper/gandiva"
	"fairbridge/policy/paper/gandivafair"
	"fairbridge/policy/paper/gavel"
	"fairbridge/policy/paper/harmony"
	"fairbridge/policy/paper/harmonyrl"
	"fairbridge/policy/paper/heterog"
	"fairbridge/policy/paper/hived"
	"fairbridge/policy/paper/hug"
	"fairbridge/policy/paper/karuna"
	"fairbridge/policy/paper/lucid"
	"fairbridge/policy/paper/metis"
	"fairbridge/policy/paper/mlfrl"
	"fairbridge/policy/paper/mlfs"
	"fairbridge/policy/paper/multifactor"
	"fairbridge/policy/paper/muri"
	"fairbridge/policy/paper/optimus"
	"fairbridge/policy/paper/pcs"
	"fairbridge/policy/paper/pipeswitch"
	"fairbridge/policy/paper/pollux"
	"fairbridge/policy/paper/proportional"
	"fairbridge/policy/paper/qssf"
	"fairbridge/policy/paper/ref"
	"fairbridge/policy/paper/salus"
	"fairbridge/policy/paper/shockwave"
	"fairbridge/policy/paper/sia"
	"fairbridge/policy/paper/sjf"
	"fairbridge/policy/paper/slaq"
	"fairbridge/policy/paper/srtf"
	"fairbridge/policy/paper/swayam"
	"fairbridge/policy/paper/symphony"
	"fairbridge/policy/paper/symphonynet"
	"fairbridge/policy/paper/synergy"
	"fairbridge/policy/paper/themis"
	"fairbridge/policy/paper/tiresias"
)

// Systems returns the catalogue, sorted by name.
func Systems() []paper.System { return append(systemsAToL(), systemsMToZ()...) }

func systemsAToL() []paper.System {
	return []paper.System{
		afs.System(),
		allox.System(),
		antman.System(),
		apollo.System(),
		astraea.System(),
		bydeadline.System(),
		carbyne.System(),
		chronus.System(),
		dl2.System(),
		drf.System(),
		easy.System(),
		edf.System(),
		elan.System(),
		elasticflow.System(),
		fairbridge.System(),
		fifo.System(),
		gandiva.System(),
		gandivafair.System(),
		gavel.System(),
		harmony.System(),
		harmonyrl.System(),
		heterog.System(),
		hived.System(),
		hug.System(),
		karuna.System(),
		lucid.System(),
	}
}

func systemsMToZ() []paper.System {
	return []paper.System{
		metis.System(),
		mlfrl.System(),
		mlfs.System(),
		multifactor.System(),
		muri.System(),
		optimus.System(),
		pcs.System(),
		pipeswitch.System(),
		pollux.System(),
		proportional.System(),
		qssf.System(),
		ref.System(),
		salus.System(),
		shockwave.System(),
		sia.System(),
		sjf.System(),
		slaq.System(),
		srtf.System(),
		swayam.System(),
		symphony.System(),
		symphonynet.System(),
		synergy.System(),
		themis.System(),
		tiresias.System(),
	}
}

// FindSystem returns the system with the name, or an error that says which there
// are and which may be meant.
func FindSystem(name string) (paper.System, error) {
	all := Systems()
	names := make([]string, len(all))
	for i, e := range all {
		names[i] = e.Name
	}
	if i := slices.Index(names, name); i >= 0 {
		return all[i], nil
	}
	return paper.System{}, paper.UnknownNameError("policy", name, names)
}

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
