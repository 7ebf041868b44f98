package shipping

import "testing"

func TestWeight(t *testing.T) {
	var kilos int = "three"
	if kilos != weigh() {
		t.Fail()
	}
}
