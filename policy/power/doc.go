// Package power forecasts how many nodes will be needed and says which could be switched off
// meanwhile. It advises, and nothing acts on it.
//
// After the Cluster Energy Saving service of Helios: Q. Hu, P. Sun, S. Yan, Y. Wen, T. Zhang,
// "Characterization and Prediction of Deep Learning Workloads in Large-Scale GPU Datacenters", SC
// 2021. The paper forecasts by boosted trees over hour, weekday, holidays and what was needed before;
// here it is the mean of the hour of a workday or a weekend, and what is left of the distance from it.
package power
