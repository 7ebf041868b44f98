package payments

import "testing"

type gateway struct{ url string }

func (g *gateway) charge() string { return g.url }

func TestAuthorize(t *testing.T) {}

func TestCapture(t *testing.T) {
	t.Run("without_gateway", func(t *testing.T) {
		var none *gateway
		t.Log(none.charge())
	})
}

func TestRefund(t *testing.T) {}
