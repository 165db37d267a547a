package demo

import (
	"strings"
	"time"

	"fairbridge/bridge/slurm/slurmdb"
)

// sacctCommand is the command that prints every run there was, one a line.
var sacctCommand = []string{
	"env", "SLURM_TIME_FORMAT=%s", "sacct", "--allusers", "--allocations", "--duplicates", "--parsable2",
	"--starttime=2020-01-01", "--format=" + slurmdb.SacctColumns,
}

// parseSacct reads what sacct prints. Runs that have not ended are left out.
func parseSacct(text string) ([]RunRecord, error) {
	rows, err := slurmdb.ReadSacct(strings.NewReader(text), "sacct", "", time.UTC)
	if err != nil {
		return nil, err
	}
	var out []RunRecord
	for i := range rows {
		if j := &rows[i]; j.HasEnded() && !j.Start.IsZero() {
			out = append(out, RunRecord{
				JobID: j.ID, Name: j.Name, TaskIndex: int(j.ArrayTask), User: j.User, Account: j.Account, GPUs: j.AllocatedTRES.GPUCount(),
				Submit: j.Submit, Start: j.Start, End: j.End, State: j.State,
			})
		}
	}
	return out, nil
}
