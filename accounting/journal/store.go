// Package journal keeps who leads, cycles with their decisions, and the ledger of
// intents. Every write is idempotent by key, so an unknown outcome of a commit is
// answered by doing it again.
package journal

import "fairbridge/accounting"

// Store is the journal in a database. It fills the ports Journal, Leadership,
// Expiry and Watch of package bridge, and Memo of History.
type Store struct{ DB *accounting.DB }
