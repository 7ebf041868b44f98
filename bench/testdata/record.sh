# Records bench/testdata/recording.jsonl; see README.md beside this file.
set -u
cd "$(dirname "$0")/shop" || exit 1
here=$(pwd) goroot=$(go env GOROOT)
go test -json -count=1 -fullpath ./... |
	sed -e "s,$here,/home/dev/shop,g" -e "s,$goroot,/usr/local/go,g" >../recording.jsonl
