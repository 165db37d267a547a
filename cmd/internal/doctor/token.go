package doctor

import (
	"time"

	"fairbridge/bridge/slurm/rest"
)

// token looks at how long the token is good.
func (r *Report) token(c *rest.Client, now time.Time) {
	t, err := c.Token()
	if err != nil {
		return // told by whatever needed it
	}
	if what := t.Weakness(now); what != "" {
		r.add("token", Warn, "renew it by cron with scontrol token username="+t.User+" lifespan=3600, as the quick start shows", "%s", what)
	}
}
