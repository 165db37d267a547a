package cycle

import "time"

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
