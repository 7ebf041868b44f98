package chatty

import (
	"fmt"
	"strings"
	"testing"
)

func TestServer(t *testing.T) {
	for i := 0; i < 12; i++ {
		fmt.Printf("time=2026-11-21T10:48:%02dZ level=INFO msg=\"request served\" method=GET path=/orders/%d status=200 bytes=%d\n", i, i*7, i*913)
		fmt.Printf("{\"level\":\"debug\",\"ts\":%d,\"caller\":\"store/rows.go:%d\",\"msg\":\"query\",\"sql\":\"SELECT * FROM orders WHERE id = $1 AND state <> 'void'\"}\n", 1700000000+i, i*3)
		t.Logf("step %d: %s", i, strings.Repeat("payload ", 5+i%9))
		fmt.Printf("\x1b[36mDEBU\x1b[0m[%04d] größe=%d naïve=☃ %s\n", i, i, strings.Repeat("·", 20))
	}
	fmt.Println(strings.Repeat("one long line of text; ", 40))
}
