package scaling

// HybridBatch returns the batch of all devices together, in samples, that a job should use on
// so many devices, and by what factor its learning rate should follow (Xie et al., Elan,
// ICDCS 2020). It is the job's batch while that keeps all of them busy, as efficientDevices
// says of a batch; else the smallest power of two times it that does, of at most mostBatch
// (0: as large as it takes). Where none does, it is the largest that may be.
func HybridBatch(batch, mostBatch, devices int, efficientDevices func(batch int) int) (samples int, rateFactor float64) {
	const mostDoublings = 30
	samples = batch
	for range mostDoublings {
		if batch <= 0 || devices <= efficientDevices(samples) || mostBatch > 0 && 2*samples > mostBatch {
			break
		}
		samples *= 2
	}
	if batch <= 0 {
		return samples, 1
	}
	return samples, float64(samples) / float64(batch)
}
