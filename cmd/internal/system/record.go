package system

import (
	"context"
	"fmt"
	"io"
	"time"

	"fairbridge/accounting/runs"
	"fairbridge/accounting/stores"
	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/slurmdb"
	"fairbridge/cmd/settings"
)

// ImportReport says what an import brought.
type ImportReport struct {
	Cluster string `json:"cluster"`
	runs.ImportResult
	SharesRead int `json:"shares"` // accounts and users whose shares were read
}

// ImportSlurmdbd reads shares and, window by window, records from slurmdbd into the
// database. The cluster goes by Slurm's own name for it, as in the daemon.
func ImportSlurmdbd(ctx context.Context, f *settings.File, db *stores.Stores, im runs.Import) (ImportReport, error) {
	out := ImportReport{Cluster: im.Cluster}
	client, err := OpenREST(ctx, f)
	if err != nil {
		return out, err
	}
	view, err := client.Observe(ctx)
	if err != nil {
		return out, err
	}
	if view.Cluster != "" {
		out.Cluster, im.Cluster = view.Cluster, view.Cluster
	}
	reader := slurmdb.New(client, im.Cluster)
	shares, bad, err := reader.Associations(ctx)
	if err != nil {
		return out, fmt.Errorf("is slurmdbd there, and may our user read all of it (AdminLevel Operator)? %w", err)
	}
	if err := db.SetSlurmShares(ctx, im.Cluster, shares); err != nil {
		return out, err
	}
	out.SharesRead = len(shares)
	im.TypeByNode = deviceTypesByNode(view.Nodes)
	out.ImportResult, err = db.Import(ctx, reader, im)
	out.AddBad(bad)
	return out, err
}

// deviceTypesByNode returns the type of the GPUs of each node that has only one.
func deviceTypesByNode(nodes []slurm.Node) map[string]string {
	types := map[string]string{}
	for _, n := range nodes {
		if all := n.GPUs(); len(all) == 1 {
			types[n.Name] = all[0].Type
		}
	}
	return types
}

// ReadSacct reads what sacct printed of a cluster, with times in a zone unless they
// are seconds since 1970. bad are the rows that make no sense. A text that holds none that does,
// or other clusters only, is refused.
func ReadSacct(in io.Reader, name, cluster string, zone *time.Location) (rows []slurmdb.Job, bad []error, err error) {
	all, bad, err := slurmdb.ReadSacct(in, name, "", zone)
	if err == nil && len(all) == 0 && len(bad) > 0 {
		err = bad[0]
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%w (nothing was imported)", err)
	}
	for _, r := range all {
		if r.Cluster == "" || r.Cluster == cluster {
			rows = append(rows, r)
		}
	}
	if len(rows) == 0 && len(all) > 0 {
		return nil, nil, fmt.Errorf("%s holds jobs of the cluster %s only, and the configuration's is %s", name,
			all[0].Cluster, cluster)
	}
	return rows, bad, nil
}
