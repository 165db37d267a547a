package runs

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"fairbridge/accounting"
	"fairbridge/policy"
	"fairbridge/sql"
)

var qGPUWeightsPut = sql.QueryText("gpu_weights_put")

// SetBillingWeights makes the billing weights of a cluster the given ones from a moment on; a type that is
// not given has weight 1. What was held before keeps the weights it had. Nothing is written where nothing changes; else
// author is noted with it.
func (s *Store) SetBillingWeights(ctx context.Context, cluster, author string, since time.Time, weights policy.BillingWeights) error {
	types := slices.Sorted(maps.Keys(weights))
	values := make([]float64, len(types))
	for i, typ := range types {
		values[i] = weights[typ]
	}
	_, err := s.DB.Exec(ctx, qGPUWeightsPut, cluster, since, author, types, values)
	return accounting.WrapError(fmt.Sprintf("storing the billing weights of cluster %s", cluster), err)
}
