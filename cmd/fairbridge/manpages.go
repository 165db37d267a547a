//go:build manpages

package main

import "fairbridge/cmd/internal/manpages"

func init() { manpages.Main(newRootCommand()) }
