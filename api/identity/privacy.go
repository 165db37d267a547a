package identity

import (
	"context"
	"slices"
	"strings"

	"fairbridge/api"
)

// PrivacyNow says what is private: as the configuration says, else as PrivateData of slurm.conf and
// of slurmdbd.conf together, else, while that of slurm.conf is not known, all of it.
func (i *Identifier) PrivacyNow() api.Privacy {
	if len(i.cfg.Private) > 0 {
		return privacyFromWords(i.cfg.Private, "configuration (api.private)")
	}
	ctx, cancel := context.WithTimeout(context.Background(), firstReadWait)
	defer cancel()
	values, known := i.slurmConf.get(ctx)
	text := strings.TrimSpace(values["PrivateData"])
	if !known || text == "" || text == "(null)" {
		return api.AllPrivate("PrivateData of slurm.conf is not known")
	}
	p := privacyFromWords(strings.Split(text, ","), "slurm.conf (PrivateData)")
	return i.addSlurmdbd(ctx, p)
}

// addSlurmdbd makes private besides what slurmdbd hides: jobs from sacct, and usage from sreport. What
// was read last stands until it is read anew, however long that takes.
func (i *Identifier) addSlurmdbd(ctx context.Context, p api.Privacy) api.Privacy {
	values := i.dbdConf.last(ctx)
	own := privacyFromWords(strings.Split(values["PrivateData"], ","), "")
	if own.Jobs && !p.Jobs || own.Usage && !p.Usage {
		p.Jobs, p.Usage, p.Source = p.Jobs || own.Jobs, p.Usage || own.Usage, "slurm.conf and slurmdbd.conf (PrivateData)"
	}
	return p
}

// privacyFromWords reads words as PrivateData has them. Those about what we do not show say nothing here.
func privacyFromWords(words []string, source string) api.Privacy {
	has := func(word string) bool {
		return slices.ContainsFunc(words, func(w string) bool {
			w = strings.TrimSpace(w)
			return strings.EqualFold(w, word) || strings.EqualFold(w, "all")
		})
	}
	return api.Privacy{Jobs: has("jobs"), Usage: has("usage"), Nodes: has("nodes"), Source: source}
}
