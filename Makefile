# proctor's commands for developers; CONTRIBUTING.md explains them.

# Programs that only development needs are installed here, at pinned versions. buf
# comes from npm as a binary: as a Go module it needs several hundred others.
TOOLS := $(CURDIR)/.cache/tools
BUF_VERSION := 1.75.0
PROTOC_GEN_GO_VERSION := v1.36.12
PROTOC_GEN_GO_GRPC_VERSION := v1.6.2
STATICCHECK_VERSION := v0.8.2
ACTIONLINT_VERSION := v1.7.12
GOTESTSUM_VERSION := v1.13.0
TPARSE_VERSION := v0.18.0
VERSITYGW_VERSION := v1.8.0

# As in a release: a static program starts some 2 ms sooner, and one proctor starts several.
export CGO_ENABLED := 0

.PHONY: build fleet demo dist forge mcp browser consumers test test-fleet race lint lint-fleet generate tools bench soak

build:  ## build proctor and its plugins into bin/
	go build -o bin/ ./cmd/...

fleet:  ## build proctor-fleet into bin/: compiling Temporal takes minutes, once
	go build -C fleet -o ../bin/ ./cmd/proctor-fleet

demo:  ## run proctor on a small project with failing tests
	@echo 'Building proctor and its plugins into bin/, which takes a minute or two the first time, and then running them'
	@echo 'on a copy of examples/quickstart: a red run, two fixes, and a rerun of exactly what is red after each.'
	@echo
	@$(MAKE) --no-print-directory --silent build
	@sh examples/demo.sh

dist:  ## build a release of the checked-out commit into dist/; PLATFORMS=host or linux/arm64,... builds a part of it
	go run ./internal/dist -platforms '$(or $(PLATFORMS),all)'

forge:  ## install the real forge and solc, which the tests of plugins/forge run, into .cache/forge
	@.ci/install-forge

mcp:  ## install the real MCP clients, which the tests of `proctor mcp` drive, into .cache/mcp
	@.ci/install-mcp

browser:  ## install what drives Chromium in the tests of pages into .cache/browser
	@.ci/install-browser

consumers:  ## install third-party programs that read reports in CI into .cache/consumers
	@.ci/install-consumers

# Goroutines meet in these packages. The others compute, parse or render in one goroutine,
# or drive whole processes, as host/cli does: the detector would make these tests several
# times as slow and find nothing. Of host/cli and host/mcp, only tests in which a process
# does several things at once are raced, with the programs that they start.
RACED := host/(ctxio|engine|fingerprint|history.*|install/(source|publish)|ledger.*|plugin.*|procgroup|project|runner|sandbox|terminal|upload|watch.*)|plugins/go/internal/(parse|testexec)|sdk.*
# Tests of raced packages that take minutes under the detector, and find nothing: they
# compute in one goroutine or, in host/cli, mostly wait for node, which sends one call
# after the other.
UNRACED := ^(TestCoverageOfAPluginWithoutTheSDKIsBounded|TestOutlinesArriveAsTheyWereSent|TestALargeSuiteArrivesInOnePiece|TestEachFaultFailsOnlyItsOwnPoints|TestTheServerConforms|TestASessionFromRedToGreen|TestGeminiFindsTheServerThatIsWrittenForIt|TestCodexReadsTheServerThatIsWrittenForIt)$$
RACED_STORIES := AtOnce|Interrupt|Signal|Terminal|Progress|Waits|Session|Server
RACED_CALLS := HTTP|Session|Client|ACall|ARun|OneRun|Progress|Stopped|Trace|Subscribers|AtOnce|AHolder|Offered

# Without debug information, which no test needs, a test binary is linked in half the time.
# Many tests wait for processes: three packages at a time keep two cores busy. `make lint`
# vets, once and not again for the race detector's build.
TEST := go test -vet=off -timeout 20m -ldflags=-w -p $(shell echo $$(($$(nproc 2>/dev/null || echo 2) * 3 / 2)))
# SQLite is translated from C, which the detector makes ten times as slow. By default a
# program under the detector sleeps for a second before it exits, and the tests start many.
TEST_RACE := CGO_ENABLED=1 GORACE=atexit_sleep_ms=10 GOFLAGS=-gcflags=modernc.org/...=-race=false $(TEST) -race

# Otherwise tests that mostly wait for third-party programs are skipped.
test race: export PROCTOR_TEST := whole

test: forge mcp browser consumers  ## run the whole test suite, with the race detector where goroutines meet
	$(TEST) $$(go list ./... | grep -vE '/proctor/($(RACED)|host/cli|host/mcp)$$')
	$(TEST) ./host/cli -skip '$(RACED_STORIES)'
	$(TEST) ./host/mcp -skip '$(RACED_CALLS)'
	$(TEST) ./host/plugin ./sdk/server ./sdk/plugintest/conform ./host/cli -run '$(UNRACED)'
	$(TEST_RACE) -skip '$(UNRACED)' $$(go list ./... | grep -E '/proctor/($(RACED))$$')
	$(TEST_RACE) ./host/cli -run '$(RACED_STORIES)' -skip '$(UNRACED)'
	$(TEST_RACE) ./host/mcp -run '$(RACED_CALLS)'

race: forge mcp browser consumers  ## run the whole test suite with the race detector everywhere: half an hour
	$(TEST_RACE) -timeout 60m ./...

# Where the Temporal server is not linked in, the race detector costs little.
test-fleet: $(TOOLS)/versitygw-$(VERSITYGW_VERSION)  ## run the test suite of proctor-fleet; PROCTOR_FLEET_KILLS=200 kills more programs
	cd fleet && $(TEST) ./...
	cd fleet && $(TEST_RACE) ./internal/job ./internal/source ./internal/store ./internal/work

lint-fleet: tools  ## check all that CI checks of proctor-fleet besides its tests
	cd fleet && go mod tidy -diff && go vet ./... && $(TOOLS)/staticcheck ./...

lint: tools  ## check all that CI checks besides the tests
	sh .ci/lint

generate: tools  ## generate the protocol's code
	PATH="$(TOOLS):$$PATH" $(TOOLS)/buf generate

bench: forge $(TOOLS)/gotestsum-$(GOTESTSUM_VERSION) $(TOOLS)/tparse-$(TPARSE_VERSION)  ## measure the figures of docs/performance.md, beside gotestsum, tparse, jq, bare go test and bare forge test
	go run ./bench

bench-check: forge $(TOOLS)/gotestsum-$(GOTESTSUM_VERSION) $(TOOLS)/tparse-$(TPARSE_VERSION)  ## fail if a ratio is worse than recorded by more than noise: four minutes
	go run ./bench -quick -only suite,flood,rerun,streams -check bench/testdata/ratios.json

soak:  ## work through an agent's day in 12 minutes, and show what grows
	go run ./bench -only soak

tools: $(TOOLS)/buf-$(BUF_VERSION) $(TOOLS)/protoc-gen-go-$(PROTOC_GEN_GO_VERSION) $(TOOLS)/protoc-gen-go-grpc-$(PROTOC_GEN_GO_GRPC_VERSION) $(TOOLS)/staticcheck-$(STATICCHECK_VERSION) $(TOOLS)/actionlint-$(ACTIONLINT_VERSION)

$(TOOLS)/buf-$(BUF_VERSION):
	npm install --silent --no-audit --no-fund --prefix $(TOOLS)/npm @bufbuild/buf@$(BUF_VERSION)
	ln -sf npm/node_modules/.bin/buf $(TOOLS)/buf && touch $@
$(TOOLS)/protoc-gen-go-$(PROTOC_GEN_GO_VERSION):
	GOBIN=$(TOOLS) go install google.golang.org/protobuf/cmd/protoc-gen-go@$(PROTOC_GEN_GO_VERSION) && touch $@
$(TOOLS)/protoc-gen-go-grpc-$(PROTOC_GEN_GO_GRPC_VERSION):
	GOBIN=$(TOOLS) go install google.golang.org/grpc/cmd/protoc-gen-go-grpc@$(PROTOC_GEN_GO_GRPC_VERSION) && touch $@
$(TOOLS)/staticcheck-$(STATICCHECK_VERSION):
	GOBIN=$(TOOLS) go install honnef.co/go/tools/cmd/staticcheck@$(STATICCHECK_VERSION) && touch $@
$(TOOLS)/actionlint-$(ACTIONLINT_VERSION):
	GOBIN=$(TOOLS) go install github.com/rhysd/actionlint/cmd/actionlint@$(ACTIONLINT_VERSION) && touch $@
$(TOOLS)/gotestsum-$(GOTESTSUM_VERSION):
	CGO_ENABLED=0 GOBIN=$(TOOLS) go install gotest.tools/gotestsum@$(GOTESTSUM_VERSION) && touch $@
$(TOOLS)/tparse-$(TPARSE_VERSION):
	CGO_ENABLED=0 GOBIN=$(TOOLS) go install github.com/mfridman/tparse@$(TPARSE_VERSION) && touch $@
# A server that speaks S3, for the tests of the store.
$(TOOLS)/versitygw-$(VERSITYGW_VERSION):
	GOBIN=$(TOOLS) go install github.com/versity/versitygw/cmd/versitygw@$(VERSITYGW_VERSION) && touch $@
