package fair_test

import (
	"fmt"

	"fairbridge/policy/solve/fair"
)

// Ten units among three who are due the same: the small one gets all it wants, the
// others share the rest.
func ExampleWaterFill() {
	fmt.Println(fair.WaterFill(10, []fair.Claim{{Weight: 1, MaxUse: 2}, {Weight: 1, MaxUse: 8}, {Weight: 1, MaxUse: 8}}))
	// Output: [2 4 4]
}
