# make test   install what the tests need and run everything that CI runs
# make bench  benchmarks of every hot path (BENCH=regexp to choose)
# make build  the command, as bin/crscore
# make model  train the built-in model anew (CORPUS=folder of *.jsonl.gz)

SHELL := /bin/bash -o pipefail
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
FUZZTIME ?= 8s
BENCH ?= .

# hugot's backend does unaligned pointer arithmetic that checkptr aborts on.
RACE := -race -gcflags=all=-d=checkptr=0

.PHONY: build test deps lint unit race fuzz bench model

build:
	go build -o bin/crscore ./cmd/crscore

test: deps lint unit race fuzz

# radon is the reference for the complexity of Python code.
deps:
	go mod download
	@command -v radon >/dev/null || { \
		run=; [ "$$(id -u)" = 0 ] || run=sudo; \
		$$run apt-get update -qq && $$run env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq radon git; }

lint:
	@bad=$$(gofmt -l $$(git ls-files '*.go')); [ -z "$$bad" ] || { echo "gofmt would change: $$bad"; exit 1; }
	go vet ./...
	go run $(STATICCHECK) ./...

unit:
	go test -count=1 ./...

# The labelled changes are for unit; here they would only take long.
race:
	env -u CRSCORE_DATA go test -count=1 $(RACE) ./...

# Every fuzz target for some seconds each; their seeds run in unit too.
fuzz:
	@set -e; for pkg in $$(go list ./...); do \
		list=$$(go test -list '^Fuzz' $$pkg); \
		for f in $$(grep '^Fuzz' <<<"$$list" || true); do \
			echo "fuzz $$pkg $$f"; \
			go test -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1s $$pkg | grep -v '^fuzz: elapsed'; \
		done; \
	done

bench:
	go test -run '^$$' -bench '$(BENCH)' -benchmem ./...

model:
	@[ -n "$(CORPUS)" ] || { echo "usage: make model CORPUS=FOLDER"; exit 2; }
	go run ./sts/builtin/train --corpus $(CORPUS) --out sts/builtin/model
