package scontrol

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
)

// ReadSlurmdbdConfig asks the sacctmgr beside scontrol for slurmdbd's settings by name, which
// slurmdbd tells anybody. That of 26.05 shows others in their place, which is an error. Of slurmctld's settings, as ReadConfig returns them, it takes whether there
// is a slurmdbd; without one it returns none, and no error.
func (c Command) ReadSlurmdbdConfig(ctx context.Context, slurmConf map[string]string) (map[string]string, error) {
	if !hasSlurmdbd(slurmConf["AccountingStorageType"]) {
		return nil, nil
	}
	out, err := Command(CommandBeside(c, "sacctmgr")).run(ctx, "-n", "show", "configuration")
	if err != nil {
		return nil, err
	}
	return parseSlurmdbdConfig(out)
}

// hasSlurmdbd reports whether a type of storage is slurmdbd.
func hasSlurmdbd(storage string) bool { return strings.HasSuffix(storage, "/slurmdbd") }

// slurmdbdHeading stands before slurmdbd's settings; those before it are of slurm.conf.
const slurmdbdHeading = "\nSlurmDBD configuration:\n"

func parseSlurmdbdConfig(text []byte) (map[string]string, error) {
	_, own, found := bytes.Cut(text, []byte(slurmdbdHeading))
	if !found {
		return nil, errors.New("sacctmgr shows no settings of slurmdbd: does it run?")
	}
	values := ParseConfig(own)
	if _, ok := values["SLURMDBD_VERSION"]; !ok {
		return nil, fmt.Errorf("sacctmgr shows %d settings of slurmdbd, and not its version", len(values))
	}
	if hasSlurmdbd(values["StorageType"]) { // only what asks slurmdbd stores with it, not itself
		return nil, errors.New("sacctmgr of this release shows settings of slurm.conf in the place of slurmdbd's")
	}
	return values, nil
}
