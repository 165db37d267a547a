package predictions

// Learnable lets tests see what a model is fitted to.
var Learnable = (*Store).learnable
