package slurmdb

import (
	"context"
	"fmt"
	"io"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/rest"
)

// ClusterName returns the name Slurm has for the cluster behind the client; ""
// on releases that do not say.
func ClusterName(ctx context.Context, c *rest.Client) (string, error) {
	meta, err := c.Conn().Get(ctx, "/slurm/"+c.API().Name()+"/ping", func(r io.Reader) (m slurm.Meta, err error) {
		_, m, err = new(slurm.Decoder).Ping(r)
		return m, err
	})
	if err != nil {
		return "", fmt.Errorf("asking for the cluster's name: %w", err)
	}
	return meta.Cluster, nil
}
