package value

// Rows travel to Postgres by column, as arrays: one statement, one round trip.

// ColumnOf is one value of each row.
func ColumnOf[R, V any](rows []R, of func(*R) V) []V {
	out := make([]V, len(rows))
	for i := range rows {
		out[i] = of(&rows[i])
	}
	return out
}
