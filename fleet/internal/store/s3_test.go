package store

import (
	"fmt"
	"os"
	"testing"

	"github.com/proctorhq/proctor/fleet/internal/store/storetest"
)

func TestABucketIsAStore(t *testing.T) {
	address := storetest.StartVersitygw(t)
	t.Setenv("AWS_ACCESS_KEY_ID", storetest.AccessKey)
	t.Setenv("AWS_SECRET_ACCESS_KEY", storetest.SecretKey)
	if _, err := Open(t.Context(), fmt.Sprintf("s3+http://%s/nosuch", address), os.Getenv); err == nil {
		t.Error("a bucket that does not exist was opened")
	}
	s, err := Open(t.Context(), fmt.Sprintf("s3+http://%s/tests/of/a/team", address), os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	testStore(t, s)
}
