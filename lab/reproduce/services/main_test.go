package services

import (
	"testing"

	"fairbridge/lab/reproduce/reproducetest"
)

func TestMain(m *testing.M) { reproducetest.Main(m) }
