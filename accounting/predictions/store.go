// Package predictions keeps what is learnt of how long jobs run, and how well it
// predicted.
package predictions

import (
	"fairbridge/accounting"
)

// Store keeps models of run times in a database. It is safe for concurrent use.
type Store struct {
	DB     *accounting.DB
	models modelCache
}
