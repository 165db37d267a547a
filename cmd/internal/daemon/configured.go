package daemon

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/user"
	"strconv"
	"time"

	"fairbridge/accounting/stores"
	"fairbridge/cmd/settings"
)

// storeConfigured stores what the configuration says of accounts' shares, and of what GPUs are charged from now on.
func storeConfigured(ctx context.Context, db *stores.Stores, f *settings.File) error {
	if err := db.SetConfiguredAccounts(ctx, f.Cluster, f.AccountShares()); err != nil {
		return err
	}
	return db.SetBillingWeights(ctx, f.Cluster, configAuthor(f.Path()), time.Now(), f.GPUs.BillingWeight)
}

// configAuthor says on whose word billing weights are stored: who runs the daemon, where, by which file.
func configAuthor(configFile string) string {
	host, _ := os.Hostname() // a name less, where it is not known
	who := "uid " + strconv.Itoa(os.Geteuid())
	if u, err := user.Current(); err == nil {
		who = u.Username
	}
	return fmt.Sprintf("%s on %s, by %s", who, cmp.Or(host, "a host without a name"), configFile)
}
