package waiting

import (
	"fmt"
	"testing"
)

func TestCustomers(t *testing.T) {
	for i := 0; i < 3; i++ {
		t.Run(fmt.Sprintf("customer_%d", i), func(t *testing.T) { t.Parallel() })
	}
}
