package doctor

import (
	"context"

	"fairbridge/accounting"
)

// Database looks at Postgres and the schema.
func (r *Report) Database(ctx context.Context, db *accounting.DB) {
	s, err := db.Status(ctx)
	if err != nil {
		r.add("database", Fail, "", "%v", err)
		return
	}
	r.ok("database", "Postgres %d.%d, schema version %d", s.Server/10000, s.Server%10000, s.Have)
}
