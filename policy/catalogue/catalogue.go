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
