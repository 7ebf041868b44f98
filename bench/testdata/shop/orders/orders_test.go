package orders

import (
	"fmt"
	"strings"
	"testing"
)

func TestTotal(t *testing.T) {
	if got, want := 41, 42; got != want {
		t.Errorf("Total() = %d, want %d", got, want)
	}
}

func TestInvoice(t *testing.T) {
	t.Errorf("Invoice() mismatch (-want +got):\n%s", strings.Join([]string{
		"  orders.Invoice{",
		`  	ID: "2026-0001",`,
		"- 	Lines: []orders.Line{{Item: \"chair\", Quantity: 2}, {Item: \"table\", Quantity: 1}},",
		"+ 	Lines: []orders.Line{{Item: \"chair\", Quantity: 2}},",
		"  	Currency: \"CHF\",",
		"- 	Total: 42000,",
		"+ 	Total: 12000,",
		"  }",
	}, "\n"))
}

func TestStates(t *testing.T) {
	for _, state := range []string{"open", "paid", "shipped", "returned"} {
		t.Run(state, func(t *testing.T) {
			t.Logf("state %s", state)
			if state == "shipped" {
				t.Fatalf("an order that is %q can be cancelled: got <true>, want <false>", state)
			}
		})
	}
}

func TestGreeting(t *testing.T) {
	fmt.Println("\x1b[33mwarning:\x1b[0m cache is cold")
	t.Errorf("got  %q\nwant %q", "Grüezi, Zoë 👋", "Grüezi Zoë 👋")
}

func TestAsserted(t *testing.T) {
	t.Errorf("\n\tError Trace:\torders_test.go:46\n\tError:      \tNot equal: \n\t            \texpected: \"open\"\n\t            \tactual  : \"paid\"\n\t            \t\n\t            \tDiff:\n\t            \t--- Expected\n\t            \t+++ Actual\n\t            \t@@ -1 +1 @@\n\t            \t-open\n\t            \t+paid\n\tTest:       \tTestAsserted")
}

func TestRetry(t *testing.T) {
	for i := 0; i < 12; i++ {
		t.Logf("attempt %d: connection refused, waiting %d ms", i, 10<<i)
	}
	t.Fatal("gave up after 12 attempts")
}

func TestParallelCheckout(t *testing.T) {
	for i := 0; i < 6; i++ {
		t.Run(fmt.Sprintf("customer_%d", i), func(t *testing.T) {
			t.Parallel()
			if i == 3 {
				t.Error("customer 3 paid twice")
			}
		})
	}
}

func TestCancel(t *testing.T) {}
