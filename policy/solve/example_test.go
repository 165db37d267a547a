package solve_test

import (
	"fmt"

	"fairbridge/policy/solve"
)

// Ten units among three who are due the same: the small one gets all it wants, the
// others share the rest.
func ExampleWaterFill() {
	fmt.Println(solve.WaterFill(10, []solve.Claim{{Weight: 1, Max: 2}, {Weight: 1, Max: 8}, {Weight: 1, Max: 8}}))
	// Output: [2 4 4]
}
