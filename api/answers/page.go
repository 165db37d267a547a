package answers

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"fairbridge/api"
)

// cursor is where a page of the queue ended.
type cursor struct {
	partition string
	rank      int
	job       int64
}

func (c cursor) compare(d cursor) int {
	return cmp.Or(cmp.Compare(c.partition, d.partition), cmp.Compare(c.rank, d.rank), cmp.Compare(c.job, d.job))
}

// String writes the cursor as RANK.JOB.PARTITION.
func (c cursor) String() string { return fmt.Sprintf("%d.%d.%s", c.rank, c.job, c.partition) }

func parseCursor(text string) (c cursor, err error) {
	if text == "" {
		return c, nil
	}
	parts := strings.SplitN(text, ".", 3)
	if len(parts) == 3 {
		var rankErr, jobErr error
		c.rank, rankErr = strconv.Atoi(parts[0])
		c.job, jobErr = strconv.ParseInt(parts[1], 10, 64)
		if c.partition = parts[2]; rankErr == nil && jobErr == nil && c.partition != "" {
			return c, nil
		}
	}
	return cursor{}, badRequest("after: %q is not the next of a page", text)
}

// pageLimit returns how many rows a page has.
func pageLimit(limit int) (int, error) {
	switch {
	case limit == 0:
		return api.DefaultLimit, nil
	case limit < 0 || limit > api.MaxLimit:
		return 0, badRequest("limit: %d is not between 1 and %d", limit, api.MaxLimit)
	}
	return limit, nil
}
