package accounting

import (
	"context"
	"sync"

	"github.com/jackc/pgx/v5/pgxpool"

	"fairbridge/sql"
)

var qGPUs = sql.Query("gpus_put")

// gpuName is what makes a row of table gpus.
type gpuName struct{ cluster, node, uuid, typ string }

func nameOf(cluster string, r *Reading) gpuName {
	return gpuName{cluster, clean(r.Node), clean(r.UUID), clean(r.Type)}
}

// gpuNumbers remembers the numbers of GPUs in table gpus. It is safe for
// concurrent use.
type gpuNumbers struct {
	mu    sync.Mutex
	known map[gpuName]int32
}

// of returns the number of each reading's GPU, giving new ones a number. Rows
// of table gpus are never removed, so what is remembered stays true.
func (n *gpuNumbers) of(ctx context.Context, pool *pgxpool.Pool, cluster string, list []Reading) ([]int32, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.known == nil {
		n.known = map[gpuName]int32{}
	}
	if err := n.learn(ctx, pool, cluster, list); err != nil {
		return nil, err
	}
	ids := make([]int32, len(list))
	for i := range list {
		ids[i] = n.known[nameOf(cluster, &list[i])]
	}
	return ids, nil
}

// learn asks for the numbers that are not known yet.
func (n *gpuNumbers) learn(ctx context.Context, pool *pgxpool.Pool, cluster string, list []Reading) error {
	var nodes, uuids, types []string
	asked := map[gpuName]bool{}
	for i := range list {
		g := nameOf(cluster, &list[i])
		if _, ok := n.known[g]; !ok && !asked[g] {
			asked[g] = true
			nodes, uuids, types = append(nodes, g.node), append(uuids, g.uuid), append(types, g.typ)
		}
	}
	if len(nodes) == 0 {
		return nil
	}
	rows, err := pool.Query(ctx, qGPUs, cluster, nodes, uuids, types)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id int32
		g := gpuName{cluster: cluster}
		if err := rows.Scan(&id, &g.node, &g.uuid, &g.typ); err != nil {
			return err
		}
		n.known[g] = id
	}
	return rows.Err()
}
