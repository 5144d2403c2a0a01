# make test      check the code as a person does before a commit: gofmt, vet, staticcheck,
#                TypeScript and the unit tests, with the analyzers, an Ollama server and Chromium
# make test-all  check the code as CI does: make test with its long forms, then ONNX Runtime,
#                vector instructions, the race detector, fuzzing, packaging, other platforms and
#                Apache Beam
# make beam      check the module distributed/: vet, staticcheck, tests
# make bench     benchmarks of every hot path (BENCH=regexp to choose; CRSCORE_LARGE=1
#                adds a model of 1.3 GB, which takes minutes without ONNX Runtime)
# make large     the tests with a model of 1.3 GB; they need 4 GB of memory and of disk
# make release-builds  the archives and packages of a release, in dist/
# make reproducible    builds a release twice, under other conditions, and compares the bytes
# make image     the test of the Dockerfile with the real command, built as root
# make build     the command as it is released, as bin/crscore (TAGS=ort adds ONNX Runtime,
#                TAGS=fewgrammars leaves out the grammars of rare languages)
# make size      what makes the command large, as a table
# make screenshots  a picture of every page on each screen, light and dark (OUT=folder)
# make model     train the built-in model (CORPUS=folder of *.jsonl.gz)

SHELL := /bin/bash -o pipefail
FUZZTIME ?= 1s
BENCH ?= .

# hugot's backend does unaligned pointer arithmetic that checkptr aborts on.
RACE := -race -gcflags=all=-d=checkptr=0

# The race detector runs the packages that start goroutines or share state between them.
# The other packages run under it too where these call them. A test of
# internal/packaging compares the list with the code.
RACE_PACKAGES := . ./analyzers ./chat ./eval/bench/match ./eval/calibration ./eval/judge ./eval/refmetrics ./eval/resample \
	./internal/answercache ./internal/cli ./internal/doctor ./internal/models ./internal/ollamatest ./internal/rundir ./internal/server ./internal/server/guard ./internal/stdio ./internal/syntax ./internal/terminal ./internal/viewer \
	./pseudoref/llm ./sts ./sts/builtin/train

# Tests of these packages without goroutines: they run other programs, or do one thing
# after the other. The last six calibrate as TestModes does.
NOT_RACED := ^Test(Encode|(ChrfOf|TEROf)?LongTexts|HostileProjects|Neighbours|Guide|ToolsFound|ToolsGoWrong|Kill|EightShards|Adversarial|NoCommandTrusts|FullDisk|CalibrateInputs|CalibrateDamagedMatrices|BenchDataset.*|Nodes|CheckMany|FittedWeights|PaperInterval|NoisyOr|Comparison|Selected|SelectionIsHeldOut)$$

# Tests of sts that no backend of the encoders can change, and those with a backend to choose.
NOT_ENCODERS := Split|Markdown|Anaphor|ReadONNX|Lexicon|StopWords(ArePinned|Contains)|TokenizerKinds|CodeWords
BACKENDS := ORT|Cross|PyTorch|Tokens|Signature|Bad

# Vector instructions make transformers several times faster; Go has them for
# amd64 only, and as an experiment.
RELEASE := $(if $(filter amd64,$(shell go env GOARCH)),GOEXPERIMENT=simd)
BIN ?= bin/crscore
TAGS ?=

# The tests of the tag ort are skipped where there is no library for them.
ORT := lib=$$(.ci/onnxruntime) && ORT_DYLIB_PATH=$$lib
# Claims from a model are tested against a real server; these tests fail without one.
OLLAMA := CRSCORE_OLLAMA=$$(.ci/ollama) && export CRSCORE_OLLAMA
# The Parquet code is compared with another reader and writer.
PARQUET := CRSCORE_HYPARQUET=$$(.ci/hyparquet) && export CRSCORE_HYPARQUET
# Types of scripts are checked, and axe-core looks at pages.
PAGES := CRSCORE_PAGE_MODULES=$$(.ci/pages) && export CRSCORE_PAGE_MODULES
# The perturbations rewrite real sources.
SOURCES := CRSCORE_SOURCES=$$(.ci/sources) && export CRSCORE_SOURCES
# The tests run the real analyzers. CI=1 tells them that a missing tool is a failure.
ANALYZERS := CRSCORE_NODE_MODULES=$$(.ci/analyzers) && export CI=1 CRSCORE_NODE_MODULES PATH="$${CRSCORE_NODE_MODULES%/*}/bin:$$PATH"
# So do the tests of action.yml, the hooks, the jobs and the release configuration.
PACKAGING := packaging=$$(.ci/packaging) && release=$$(.ci/release) && export CRSCORE_PACKAGING=1 PATH="$$packaging:$$release:$$PATH"
# Jobs run on a job server of Apache Beam and on workers of their own.
BEAM := CRSCORE_BEAM=$$(.ci/beam) && export CRSCORE_BEAM

.PHONY: build release-builds reproducible test test-all deps deps-all ollama lint unit ort few simd race fuzz packaging platforms beam bench large hostile damage image model picture screenshots size

build:
	$(RELEASE) go build -trimpath -ldflags '-s -w' -tags '$(TAGS)' -o $(BIN) ./cmd/crscore

# The bytes of a release, without a tag. GoReleaser wants a remote repository even so. A Mac
# makes the archives for Macs.
release-builds:
	tools=$$(.ci/release) && export GORELEASER_CURRENT_TAG="v$$(sed -n 's/^const Version = "\(.*\)"/\1/p' doc.go)" && \
	GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=remote.origin.url GIT_CONFIG_VALUE_0=. "$$tools/goreleaser" release --snapshot --clean $(if $(filter Darwin,$(shell uname -s)),--skip=nfpm)

# Not a part of CI: the second build compiles everything anew.
reproducible:
	.ci/reproducible

test: deps lint unit

# CRSCORE_LONG=1 asks tests for their long forms. Beside race runs what waits for other
# programs or has one processor at work; each prints when it is done. Fuzzing takes all processors.
test-all: export CRSCORE_LONG := 1
test-all: deps-all test
	$(MAKE) -j 2 --output-sync=target race ort few simd packaging platforms beam
	$(MAKE) fuzz

# What make test needs. Chromium looks at pages (116 MB to download, 372 MB to keep).
deps:
	go mod download
	@missing=; command -v git >/dev/null || missing=git; command -v chromium >/dev/null || missing="$$missing chromium"; \
	[ -z "$$missing" ] || .ci/debian $$missing
	.ci/ollama
	.ci/analyzers
	.ci/hyparquet
	.ci/pages

# What make test-all needs besides. PyTorch computes the goldens of encoders anew.
deps-all: deps
	@{ python3 -c 'import torch' || /usr/bin/python3 -c 'import torch'; } >/dev/null 2>&1 || .ci/debian python3-torch
	.ci/onnxruntime
	.ci/packaging
	.ci/platforms
	.ci/release
	.ci/sources
	cd distributed && go mod download

# Only the server: CRSCORE_OLLAMA=$(make -s ollama) go test ./...
ollama:
	@.ci/ollama

# Only sts has files of the tag ort, and only internal/syntax of the tag fewgrammars.
lint:
	@bad=$$(gofmt -l $$(git ls-files '*.go')); [ -z "$$bad" ] || { echo "gofmt would change: $$bad"; exit 1; }
	go vet ./...
	go vet -tags ort ./sts
	go vet -tags fewgrammars ./internal/syntax
	$(ANALYZERS) && staticcheck ./... && staticcheck -tags ort ./sts && staticcheck -tags fewgrammars ./internal/syntax
	$(PAGES) && "$$CRSCORE_PAGE_MODULES/.bin/tsc" -p internal

# lint has vetted the packages. Three packages at a time keep two processors busy while
# one waits. The labelled changes (CRSCORE_DATA) belong to the long forms.
unit:
	$(OLLAMA) && $(ANALYZERS) && $(PARQUET) && $(PAGES) && $(if $(CRSCORE_LONG),$(SOURCES) &&,env -u CRSCORE_DATA) go test -count=1 -vet=off -p 3 -timeout 30m ./...

# The encoders with ONNX Runtime. race runs what runs without it under this tag.
ort:
	$(ORT) env -u CRSCORE_DATA -u CRSCORE_LONG go test -count=1 -vet=off -tags ort -run '$(BACKENDS)' ./sts

# The build without the grammars of rare languages.
few:
	go test -count=1 -vet=off -tags fewgrammars -run '^TestGrammars$$' . ./internal/syntax

# The encoders with vector instructions.
simd:
	$(if $(RELEASE),env -u CRSCORE_DATA -u CRSCORE_LONG $(RELEASE) go test -count=1 -vet=off -skip '$(NOT_ENCODERS)' ./sts ./sts/builtin/train)

# -short leaves out what does one thing after the other and would only take long.
race:
	$(OLLAMA) && $(ANALYZERS) && $(PARQUET) && $(ORT) env -u CRSCORE_DATA -u CRSCORE_LONG go test -short -count=1 -vet=off -p 3 -timeout 30m -tags ort -skip '$(NOT_RACED)' $(RACE) $(RACE_PACKAGES)

# Every fuzz target for a second each (longer: FUZZTIME=1m make fuzz); unit runs their
# seeds too.
fuzz:
	.ci/fuzz $(FUZZTIME)

# What stands around the command, by the programs that run it: GitHub's workflows,
# GitLab's jobs, pre-commit, images, GoReleaser.
packaging: release-builds
	$(ANALYZERS) && $(PACKAGING) && go test -count=1 -vet=off -timeout 30m ./internal/packaging

# The released binaries of other platforms: arm64 and older processors under qemu-user, Windows
# under Wine.
platforms: release-builds
	CRSCORE_WINE=$$(.ci/platforms) && export CRSCORE_WINE && CRSCORE_DIST=$(CURDIR)/dist go test -count=1 -vet=off -timeout 10m ./internal/platforms

# A module of its own: make test formats it, and no more, because Apache Beam is 110 MB to
# download and three minutes of a processor to compile. One test binary is job server, worker and
# command. The race detector compiles all of that again, and takes seven minutes of a processor.
beam:
	$(BEAM) && $(ANALYZERS) && cd distributed && go vet ./... && staticcheck ./... && env -u CRSCORE_DATA go test -count=1 -vet=off -ldflags '-s -w' -timeout 10m ./...

# The encoders' benchmarks are repeated for the other builds.
bench:
	go test -timeout 2h -run '^$$' -bench '$(BENCH)' -benchmem ./...
	$(if $(RELEASE),$(RELEASE) go test -timeout 2h -run '^$$' -bench '$(BENCH)' ./sts)
	$(ORT) go test -timeout 2h -run '^$$' -bench '$(BENCH)' -tags ort ./sts

large:
	$(ORT) CRSCORE_LARGE=1 $(RELEASE) go test -count=1 -v -tags ort -run 'Large' -timeout 30m ./sts

image:
	$(ANALYZERS) && $(PACKAGING) && CRSCORE_IMAGE=1 go test -count=1 -v -timeout 30m -run Image ./internal/packaging

size:
	@.ci/size

model:
	@[ -n "$(CORPUS)" ] || { echo "usage: make model CORPUS=FOLDER"; exit 2; }
	go run ./sts/builtin/train --corpus $(CORPUS) --out sts/builtin/model --words sts/builtin/words.tsv
	go test ./sts/builtin -run TestTokenizerIsPacked -update

# A picture of every page that a test opens in Chromium, on each screen, light and dark, and
# an index.html to look through: make screenshots OUT=folder.
OUT ?= bin/screenshots
screenshots:
	$(PAGES) && .ci/screenshots $(OUT)

# The README's picture of the page, from the bundled change.
picture:
	go test -count=1 -run TestPicture ./internal/server -picture $(CURDIR)/docs/page.png

# Run directories and matrices, damaged a thousand times.
damage:
	CRSCORE_DAMAGES=1 go test -count=1 -run Damage ./internal/cli

# Random and hostile changes of this machine's source files, given to the command and to
# a service for hours: make hostile SEEDS="1 2 3" ROWS=20000. SHAPES bounds the shapes of
# a seed (there are some 11,000), ONLY is a regular expression for names like
# java/run "a<"/added/102400, SIZES are bytes. TEXTS is the number of hostile reviews of a seed.
hostile:
	CRSCORE_HOSTILE_SEEDS="$(or $(SEEDS),1 2 3)" CRSCORE_HOSTILE_ROWS="$(ROWS)" CRSCORE_HOSTILE_SHAPES="$(or $(SHAPES),3000)" CRSCORE_HOSTILE_SIZES="$(SIZES)" CRSCORE_HOSTILE_TEXTS="$(TEXTS)" CRSCORE_HOSTILE_ONLY='$(ONLY)' go test -count=1 -timeout 48h -v ./internal/hostile
