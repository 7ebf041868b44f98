#!/bin/sh
# Runs proctor on a copy of examples/quickstart, which has passing, failing and
# panicking tests: a run, what one test printed, a fix, and a rerun of exactly
# what is red, twice. Called by `make demo`. It runs bin/proctor, or $1.
set -u
here=$(cd "$(dirname "$0")/.." && pwd)
proctor=${1:-$here/bin/proctor}
if [ "${2-}" ]; then
	work=$2
else
	work=$(mktemp -d) || exit 1
	trap 'rm -rf "$work"' EXIT
fi
cp -R "$here/examples/quickstart" "$work/quickstart"
cd "$work/quickstart" || exit 1

step() { # step EXPECTED-EXIT-CODE COMMAND...
	want=$1
	shift
	printf '$ proctor %s\n' "$*"
	"$proctor" "$@" 2>/dev/null
	got=$?
	printf '[exit code %s]\n\n' "$got"
	if [ "$got" -ne "$want" ]; then
		echo "demo: proctor $* exited with $got, want $want" >&2
		exit 1
	fi
}

step 1 run
step 0 output TestDivide/by_zero

echo '$ # fix the division'
sed 's|return 0, nil // .*|return 0, ErrDivisionByZero|' calc/calc.go >calc/fixed && mv calc/fixed calc/calc.go
echo
step 1 rerun

echo '$ # make the map'
sed 's|^func (s \*Store) Put.*|func (s *Store) Put(name, thing string) {\
	if s.things == nil {\
		s.things = map[string]string{}\
	}\
	s.things[name] = thing\
}|' store/store.go >store/fixed && mv store/fixed store/store.go
echo
step 0 rerun
step 0 run
