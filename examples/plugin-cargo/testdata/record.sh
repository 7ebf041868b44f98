#!/bin/sh
# Records what cargo prints, into cases/NAME.{stdout,stderr,exit}. The commands
# are those that the plugin composes for kitchen/. Paths of the machine become
# /project. Then `go test . -update` writes what the parser reads: review the changes.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
ulimit -c 0
export CARGO_TERM_COLOR=never CARGO_TERM_PROGRESS_WHEN=never
unset RUST_BACKTRACE

fresh() { rm -rf "$scratch/project"; cp -r "$here/kitchen" "$scratch/project"; cd "$scratch/project"; }

record() { # NAME COMMAND...
	name=$1
	shift
	code=0
	timeout 10 "$@" >"$scratch/out" 2>"$scratch/err" || code=$?
	sed -e "s|$scratch/project|/project|g" -e "s|/tmp/rustdoctest|/scratch/rustdoctest|g" "$scratch/out" >"$here/cases/$name.stdout"
	sed "s|$scratch/project|/project|g" "$scratch/err" >"$here/cases/$name.stderr"
	echo "$code" >"$here/cases/$name.exit"
}

# For the conformance kit: the same, as check/NAME/{stdout,stderr,exit.json}. run.json
# and want.json beside them are written by hand.
keep() { # NAME COMMAND...
	kept=$1
	record "$@"
	mkdir -p "$here/check/$kept"
	mv "$here/cases/$kept.stdout" "$here/check/$kept/stdout"
	mv "$here/cases/$kept.stderr" "$here/check/$kept/stderr"
	rm "$here/cases/$kept.exit"
	echo "{\"code\": $code}" >"$here/check/$kept/exit.json"
}

target="cargo test --message-format=json --no-fail-fast -p kitchen"

fresh
record metadata cargo metadata --no-deps --format-version=1
record prepare $target --no-run
for test in custom exits overflow segv atexit; do record "$test" $target --test "$test"; done
record hangs $target --test hangs # ended by the time limit
record lib $target --lib
record lib-nocapture $target --lib -- --nocapture --test-threads=1
record lib-show-output $target --lib -- --show-output
record lib-exact $target --lib -- --exact -- tests::differs
record doc $target --doc
RUST_BACKTRACE=1 record lib-backtrace $target --lib
keep green $target --lib -- --exact tests::passes
keep red $target --lib -- --exact tests::differs tests::passes
keep pretender $target --lib -- --exact tests::forges tests::uncaptured tests::unwraps
record plain sh -c 'cargo test --no-fail-fast --lib --test exits --test overflow 2>&1'

sed -i 's/"2021"/"2024"/' Cargo.toml
record doc-2024 $target --doc

fresh
sed -i 's/{ a + b }/{ a + c }/' src/lib.rs
record build-error cargo test --message-format=json --no-fail-fast --no-run -p kitchen
keep broken cargo test --message-format=json --no-fail-fast --no-run -p kitchen

fresh
echo 'fn main() { panic!("no compiler for C") }' >build.rs
record build-script cargo test --message-format=json --no-fail-fast --no-run -p kitchen

fresh
echo '[[' >>Cargo.toml
record manifest cargo test --message-format=json --no-run
