package predictions

// FinishedJobs lets tests see what a model is fitted to.
var FinishedJobs = (*Store).readFinishedJobs
