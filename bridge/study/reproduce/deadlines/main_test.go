package deadlines

import (
	"testing"

	"fairbridge/bridge/study/reproduce/reproducetest"
)

func TestMain(m *testing.M) { reproducetest.Main(m) }
