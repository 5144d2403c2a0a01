# make test   install what the tests need and run everything that CI runs
# make bench  benchmarks of every hot path (BENCH=regexp to choose; CRSCORE_LARGE=1
#             adds a model of 1.3 GB, which takes minutes without ONNX Runtime)
# make large  the tests with a model of 1.3 GB, which need 4 GB of memory and of disk
# make image  the tests of the Dockerfile with the command itself in it, built as root
# make build  the command as it is released, as bin/crscore (TAGS=ort adds ONNX Runtime)
# make model  train the built-in model anew (CORPUS=folder of *.jsonl.gz)

SHELL := /bin/bash -o pipefail
FUZZTIME ?= 1s
BENCH ?= .

# hugot's backend does unaligned pointer arithmetic that checkptr aborts on.
RACE := -race -gcflags=all=-d=checkptr=0

# Vector instructions make transformers several times faster; Go has them for
# amd64 only, and as an experiment.
RELEASE := $(if $(filter amd64,$(shell go env GOARCH)),GOEXPERIMENT=simd)
BIN ?= bin/crscore
TAGS ?=

# The tests of the tag ort are skipped where there is no library for them.
ORT := lib=$$(.ci/onnxruntime) && ORT_DYLIB_PATH=$$lib
# Claims from a model are tested against a real server; without one nothing passes.
OLLAMA := CRSCORE_OLLAMA=$$(.ci/ollama) && export CRSCORE_OLLAMA
# Parquet is held against another reader and writer of it.
PARQUET := CRSCORE_HYPARQUET=$$(.ci/hyparquet) && export CRSCORE_HYPARQUET
# So are analyzers, and action.yml and its like by what runs them; those of Go modules
# are put on PATH. Where make has installed them none may be missing, which is what CI
# tells the tests.
ANALYZERS := CRSCORE_NODE_MODULES=$$(.ci/analyzers) && packaging=$$(.ci/packaging) && export CI=1 CRSCORE_NODE_MODULES PATH="$${CRSCORE_NODE_MODULES%/*}/bin:$$packaging:$$PATH"

.PHONY: build test deps ollama lint unit ort simd race fuzz bench large image model

build:
	$(RELEASE) go build -trimpath -ldflags '-s -w' -tags '$(TAGS)' -o $(BIN) ./cmd/crscore

test: deps lint unit ort simd race fuzz

# PyTorch is the reference for the numbers of encoders; Chromium looks at pages
# (116 MB to download, 372 MB to keep).
deps:
	go mod download
	@{ command -v git && { python3 -c 'import torch' || /usr/bin/python3 -c 'import torch'; }; } >/dev/null 2>&1 || { \
		run=; [ "$$(id -u)" = 0 ] || run=sudo; \
		$$run apt-get update -qq && $$run env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq git python3-torch; }
	@command -v chromium >/dev/null || { \
		run=; [ "$$(id -u)" = 0 ] || run=sudo; \
		$$run apt-get update -qq && $$run env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium; }
	.ci/onnxruntime
	.ci/ollama
	.ci/analyzers
	.ci/hyparquet
	.ci/packaging

# Only the server: CRSCORE_OLLAMA=$(make -s ollama) go test ./...
ollama:
	@.ci/ollama

lint:
	@bad=$$(gofmt -l $$(git ls-files '*.go')); [ -z "$$bad" ] || { echo "gofmt would change: $$bad"; exit 1; }
	go vet ./...
	go vet -tags ort ./...
	$(ANALYZERS) && staticcheck ./... && staticcheck -tags ort ./sts/... ./internal/cli

unit:
	$(OLLAMA) && $(ANALYZERS) && $(PARQUET) && go test -count=1 ./...

# What other builds have: ONNX Runtime (the command with it is a part of race),
# vector instructions.
ort:
	$(ORT) env -u CRSCORE_DATA go test -count=1 -tags ort ./sts/...

simd:
	$(if $(RELEASE),$(RELEASE) go test -count=1 ./sts/...)

# The labelled changes, and a round of every analyzer, are for unit; here they would
# only take long.
race:
	$(OLLAMA) && $(ANALYZERS) && $(PARQUET) && $(ORT) env -u CRSCORE_DATA go test -short -count=1 -tags ort $(RACE) ./...

# Every fuzz target for a second each (longer: FUZZTIME=1m make fuzz); their seeds
# run in unit too. They are looked up in the files, since asking each package would link
# it. Go sometimes reports the end of -fuzztime itself as a failure, with no other line
# than "context deadline exceeded": its coordinator compares the deadline's error with
# that of a context derived from it, which may not have it yet. What fuzzing found comes
# with its input, a hang with words of its own.
fuzz:
	@set -e; list=$$(grep -ro --include='*_test.go' '^func Fuzz[A-Za-z0-9_]*' . | sed 's,/[^/]*:func , ,' | LC_ALL=C sort); [ -n "$$list" ]; \
	while read -r pkg f; do \
		echo "fuzz $$pkg $$f"; \
		out=$$(go test -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1s $$pkg 2>&1 </dev/null) && bad= || bad=$$?; \
		grep -v '^fuzz: elapsed' <<<"$$out" || true; \
		[ -z "$$bad" ] || [ "$$(sed -n '/^--- FAIL/,/^FAIL/{/^--- FAIL/d;/^FAIL/d;p}' <<<"$$out")" = "    context deadline exceeded" ]; \
	done <<<"$$list"

# The encoders' are repeated for the other builds.
bench:
	go test -timeout 2h -run '^$$' -bench '$(BENCH)' -benchmem ./...
	$(if $(RELEASE),$(RELEASE) go test -timeout 2h -run '^$$' -bench '$(BENCH)' ./sts)
	$(ORT) go test -timeout 2h -run '^$$' -bench '$(BENCH)' -tags ort ./sts

large:
	$(ORT) CRSCORE_LARGE=1 $(RELEASE) go test -count=1 -v -tags ort -run 'Large' -timeout 30m ./sts

image:
	$(ANALYZERS) && CRSCORE_IMAGE=1 go test -count=1 -v -timeout 30m -run Image ./internal/packaging

model:
	@[ -n "$(CORPUS)" ] || { echo "usage: make model CORPUS=FOLDER"; exit 2; }
	go run ./sts/builtin/train --corpus $(CORPUS) --out sts/builtin/model --words sts/builtin/words.tsv
