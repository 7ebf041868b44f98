package store

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// bucket is a store under a prefix of an S3-compatible bucket.
type bucket struct {
	client *minio.Client
	name   string
	prefix string // empty, or with a slash at its end
}

// openS3 opens s3://ENDPOINT/BUCKET/PREFIX, or s3+http:// without TLS. The credentials are
// those of AWS's variables, files and machine roles.
func openS3(ctx context.Context, address string, getenv func(string) string) (Store, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("the store: %w", err)
	}
	name, prefix, _ := strings.Cut(strings.Trim(u.Path, "/"), "/")
	if u.Host == "" || name == "" || u.User != nil || u.RawQuery != "" {
		return nil, fmt.Errorf("the store %s: write s3://ENDPOINT/BUCKET, as in s3://s3.eu-central-1.amazonaws.com/tests; keys belong in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY", u.Redacted())
	}
	client, err := minio.New(u.Host, &minio.Options{
		Creds: credentials.NewChainCredentials([]credentials.Provider{
			&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}, &credentials.IAM{},
		}),
		Secure: u.Scheme == "s3", Region: getenv("AWS_REGION"),
	})
	if err != nil {
		return nil, fmt.Errorf("the store %s: %w", address, err)
	}
	if prefix != "" {
		prefix += "/"
	}
	b := bucket{client: client, name: name, prefix: prefix}
	if there, err := client.BucketExists(ctx, name); err != nil || !there {
		return nil, fmt.Errorf("the store %s: the bucket does not exist, or is not yours to read: %w", address, errOf(err))
	}
	return b, nil
}

func errOf(err error) error {
	if err == nil {
		return fs.ErrNotExist
	}
	return err
}

func (b bucket) Put(ctx context.Context, name string, data []byte) (stored bool, err error) {
	if err := checkName(name); err != nil {
		return false, err
	}
	// In one part: multipart uploads ignore the condition.
	opts := minio.PutObjectOptions{ContentType: "application/octet-stream", DisableMultipart: true}
	opts.SetMatchETagExcept("*")
	_, err = b.client.PutObject(ctx, b.name, b.prefix+name, bytes.NewReader(data), int64(len(data)), opts)
	switch minio.ToErrorResponse(err).StatusCode {
	case http.StatusPreconditionFailed:
		return false, nil
	case http.StatusConflict:
		// Another writer was first, and may not have finished: it wins if there is an
		// object now.
		if _, gerr := b.Get(ctx, name); gerr == nil {
			return false, nil
		}
	}
	return err == nil, err
}

func (b bucket) Get(ctx context.Context, name string) ([]byte, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	object, err := b.client.GetObject(ctx, b.name, b.prefix+name, minio.GetObjectOptions{})
	if err != nil {
		return nil, err
	}
	defer object.Close()
	data, err := io.ReadAll(object)
	if minio.ToErrorResponse(err).StatusCode == http.StatusNotFound {
		return nil, &fs.PathError{Op: "get", Path: name, Err: fs.ErrNotExist}
	}
	return data, err
}

func (b bucket) List(ctx context.Context, prefix string) ([]string, error) {
	ages, err := b.Ages(ctx, prefix)
	return slices.Sorted(maps.Keys(ages)), err
}

func (b bucket) Ages(ctx context.Context, prefix string) (map[string]time.Time, error) {
	ages := map[string]time.Time{}
	for o := range b.client.ListObjects(ctx, b.name, minio.ListObjectsOptions{Prefix: b.prefix + path.Clean(prefix) + "/", Recursive: true}) {
		if o.Err != nil {
			return nil, o.Err
		}
		ages[strings.TrimPrefix(o.Key, b.prefix)] = o.LastModified
	}
	return ages, nil
}

func (b bucket) Remove(ctx context.Context, name string) error {
	if err := checkName(strings.TrimSuffix(name, "/")); err != nil {
		return err
	}
	names := []string{name}
	if strings.HasSuffix(name, "/") {
		var err error
		if names, err = b.List(ctx, name); err != nil {
			return err
		}
	}
	for _, name := range names {
		if err := b.client.RemoveObject(ctx, b.name, b.prefix+name, minio.RemoveObjectOptions{}); err != nil {
			return err
		}
	}
	return nil
}
