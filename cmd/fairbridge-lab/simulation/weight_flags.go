package simulation

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"fairbridge/cmd/internal/cli"
	"fairbridge/policy"
)

// weightFlags say what GPUs of each type are charged in the use that policies see. The zero weightFlags charge every
// type alike.
type weightFlags struct{ text string }

// add adds --billing-weights.
func (f *weightFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.text, "billing-weights", "", "GPU-hours that an hour of a GPU of a type is charged in what accounts used, such as\na100=1,t4=0.25; other types 1, as with gpus.billing_weight in the configuration")
}

// weights reads the flag; nil: it is not given.
func (f *weightFlags) weights() (policy.BillingWeights, error) {
	if f.text == "" {
		return nil, nil
	}
	out := policy.BillingWeights{}
	for part := range strings.SplitSeq(f.text, ",") {
		typ, number, _ := strings.Cut(part, "=")
		weight, err := strconv.ParseFloat(number, 64)
		if _, twice := out[typ]; twice || typ == "" || err != nil || !(weight >= 0 && weight <= policy.MaxBillingWeight) {
			return nil, cli.NewUsageError(fmt.Errorf("--billing-weights %q: want each type once with a number from 0 to %d, such as a100=1,t4=0.25", part, policy.MaxBillingWeight))
		}
		out[typ] = weight
	}
	return out, nil
}
