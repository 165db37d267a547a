package samples

import (
	"context"
	"sync"

	"github.com/jackc/pgx/v5/pgxpool"

	"fairbridge/accounting/internal/value"
	"fairbridge/sql"
)

var qGPUsPut = sql.QueryText("gpus_put")

// gpuRow is a row of table gpus but for where it is.
type gpuRow struct {
	uuid, gpuType string
	id            int32
}

// nodeKey is where GPUs are.
type nodeKey struct{ cluster, node string }

// gpuIDs remembers the numbers of GPUs in table gpus: a few for each node,
// looked through one by one. It is safe for concurrent use.
type gpuIDs struct {
	mu         sync.Mutex
	rowsByNode map[nodeKey][]gpuRow
}

// lookUpIDs returns the number of each reading's GPU, giving new ones a number. Rows
// of table gpus are never removed, so what is remembered stays true.
func (n *gpuIDs) lookUpIDs(ctx context.Context, pool *pgxpool.Pool, cluster string, list []Reading) ([]int32, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	ids := make([]int32, len(list))
	if n.fillKnownIDs(cluster, list, ids) {
		return ids, nil
	}
	if err := n.queryMissing(ctx, pool, cluster, list, ids); err != nil {
		return nil, err
	}
	n.fillKnownIDs(cluster, list, ids)
	return ids, nil
}

// fillKnownIDs fills in the numbers that are known and reports whether all are.
func (n *gpuIDs) fillKnownIDs(cluster string, list []Reading, ids []int32) (all bool) {
	all = true
	var at nodeKey
	var here []gpuRow
	for i := range list {
		r := &list[i]
		if at.node != r.Node || at.cluster == "" { // readings come node by node
			at = nodeKey{cluster, r.Node}
			here = n.rowsByNode[at]
		}
		for _, g := range here {
			if g.uuid == r.UUID && g.gpuType == r.Type {
				ids[i] = g.id
				break
			}
		}
		all = all && ids[i] != 0
	}
	return all
}

// queryMissing asks for the numbers that are not known. Names are remembered as the
// readings have them and stored without what Postgres cannot.
func (n *gpuIDs) queryMissing(ctx context.Context, pool *pgxpool.Pool, cluster string, list []Reading, ids []int32) error {
	type name struct{ node, uuid, typ string }
	var nodes, uuids, types []string
	asked := map[name]bool{}
	as := func(r *Reading) name {
		return name{value.ValidText(r.Node), value.ValidText(r.UUID), value.ValidText(r.Type)}
	}
	for i := range list {
		if g := as(&list[i]); ids[i] == 0 && !asked[g] {
			asked[g] = true
			nodes, uuids, types = append(nodes, g.node), append(uuids, g.uuid), append(types, g.typ)
		}
	}
	rows, err := pool.Query(ctx, qGPUsPut, cluster, nodes, uuids, types)
	if err != nil {
		return err
	}
	defer rows.Close()
	found := map[name]int32{}
	for rows.Next() {
		var id int32
		var g name
		if err := rows.Scan(&id, &g.node, &g.uuid, &g.typ); err != nil {
			return err
		}
		found[g] = id
	}
	for i := range list {
		if ids[i] == 0 {
			n.rememberID(cluster, &list[i], found[as(&list[i])])
		}
	}
	return rows.Err()
}

func (n *gpuIDs) rememberID(cluster string, r *Reading, id int32) {
	if n.rowsByNode == nil {
		n.rowsByNode = map[nodeKey][]gpuRow{}
	}
	at := nodeKey{cluster, r.Node}
	for _, g := range n.rowsByNode[at] {
		if g.uuid == r.UUID && g.gpuType == r.Type {
			return
		}
	}
	n.rowsByNode[at] = append(n.rowsByNode[at], gpuRow{r.UUID, r.Type, id})
}
