package packs

import "math/bits"

// stepFactor is how much longer a step takes in the simulator than was measured.
const stepFactor = 1.015

// otherStartSeconds is what the start of a model without a row of its own takes.
const otherStartSeconds = 10

// startSecondsByModel is how long a start takes on 1, 2, 4, 8, 16 and 32 GPUs, as Muri's authors
// measured it.
var startSecondsByModel = map[string][6]float64{
	"vgg16":              {7, 7, 8, 9, 9, 10},
	"vgg19":              {7, 7, 8, 9, 10, 10},
	"resnet18":           {4, 5, 5, 7, 7, 7},
	"shufflenet_v2_x1_0": {4, 4, 5, 5, 7, 8},
	"a2c":                {38, 39, 39, 46, 46, 46},
	"dqn":                {5, 5, 6, 6, 8, 8},
}

// startSeconds is how long a start of the model takes on so many GPUs; numbers that were not
// measured take what the next larger one does, and the largest what was measured last.
func startSeconds(model string, gpus int) float64 {
	row, known := startSecondsByModel[model]
	if !known {
		return otherStartSeconds
	}
	return row[min(bits.Len(uint(gpus-1)), len(row)-1)]
}
