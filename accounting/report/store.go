package report

import "fairbridge/accounting"

// Store answers from a database.
type Store struct{ DB *accounting.DB }
