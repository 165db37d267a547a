// Package catalogue lists the scheduling systems there are.
package catalogue

import (
	"slices"

	"fairbridge/policy/paper"
	"fairbridge/policy/paper/allox"
	"fairbridge/policy/paper/astraea"
	"fairbridge/policy/paper/carbyne"
	"fairbridge/policy/paper/drf"
	"fairbridge/policy/paper/easy"
	"fairbridge/policy/paper/fairbridge"
	"fairbridge/policy/paper/fifo"
	"fairbridge/policy/paper/gandiva"
	"fairbridge/policy/paper/gandivafair"
	"fairbridge/policy/paper/gavel"
	"fairbridge/policy/paper/hug"
	"fairbridge/policy/paper/multifactor"
	"fairbridge/policy/paper/proportional"
	"fairbridge/policy/paper/ref"
	"fairbridge/policy/paper/shockwave"
	"fairbridge/policy/paper/sjf"
	"fairbridge/policy/paper/srtf"
	"fairbridge/policy/paper/themis"
	"fairbridge/policy/paper/tiresias"
)

// Systems returns the catalogue, sorted by name.
func Systems() []paper.System {
	return []paper.System{
		allox.System(),
		astraea.System(),
		carbyne.System(),
		drf.System(),
		easy.System(),
		fairbridge.System(),
		fifo.System(),
		gandiva.System(),
		gandivafair.System(),
		gavel.System(),
		hug.System(),
		multifactor.System(),
		proportional.System(),
		ref.System(),
		shockwave.System(),
		sjf.System(),
		srtf.System(),
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
