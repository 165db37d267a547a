// Package services holds what a paper claims of inference services and their replicas against our simulator, as package
// reproduce does those of others. It has tests only.
package services
