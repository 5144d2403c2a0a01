# The command as a static binary: docker build -t crscore .
#   docker run --rm --read-only -i crscore score --diff - --review "..." < pr.diff
#
# With --target ci it stands in an image that has git and a shell, as jobs need. With
# --platform linux/amd64,linux/arm64 the build is for both: nothing runs emulated.

FROM --platform=$BUILDPLATFORM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
ARG TARGETARCH
RUN [ "${TARGETARCH:-$(go env GOARCH)}" = "$(go env GOARCH)" ] && exit; \
    case $TARGETARCH in amd64) name=x86-64 cc=x86_64 ;; arm64) name=aarch64 cc=aarch64 ;; esac; \
    command -v $cc-linux-gnu-gcc || { apt-get update && apt-get install -y --no-install-recommends gcc-$name-linux-gnu libc6-dev-$TARGETARCH-cross; }
RUN git config --file /gitconfig --add safe.directory '*'
COPY . .
# Tree-sitter and SQLite are C. Without the tags the C library would want to load
# parts of itself, which a static one cannot. There is no repository to ask for the commit.
ARG GOFLAGS=-trimpath
ARG REVISION
ARG CREATED
RUN host=$(go env GOARCH) && export CGO_ENABLED=1 GOARCH=${TARGETARCH:-$(go env GOARCH)} && \
    case $GOARCH in $host) ;; amd64) export CC=x86_64-linux-gnu-gcc ;; arm64) export CC=aarch64-linux-gnu-gcc ;; esac && \
    if [ $GOARCH = amd64 ]; then export GOEXPERIMENT=simd; fi && \
    go build -buildvcs=false -tags netgo,osusergo,sqlite_omit_load_extension \
    -ldflags "-s -w -linkmode=external -extldflags=-static -X crscore/internal/cli.commit=$REVISION -X crscore/internal/cli.commitTime=$CREATED" \
    -o /crscore ./cmd/crscore
ARG VERSION
RUN CGO_ENABLED=0 go run ./internal/packaging/sbom -version "$VERSION" -commit "$REVISION" -time "$CREATED" -out /licences /crscore

FROM buildpack-deps:bookworm-scm AS ci
# The runner's user has the work tree, not the image's.
COPY --from=build /gitconfig /etc/gitconfig
COPY --from=build /licences/THIRD-PARTY-LICENSES.txt /usr/share/doc/crscore/copyright
COPY --from=build /crscore /usr/local/bin/crscore
USER 65532:65532
ARG VERSION
ARG REVISION
ARG CREATED
LABEL org.opencontainers.image.title=crscore \
    org.opencontainers.image.version=$VERSION \
    org.opencontainers.image.revision=$REVISION \
    org.opencontainers.image.created=$CREATED

# Certificates are for models that are fetched, and servers that are asked.
FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /src/LICENSE /licences/THIRD-PARTY-LICENSES.txt /
COPY --from=build /crscore /crscore
USER 65532:65532
ENTRYPOINT ["/crscore"]
ARG VERSION
ARG REVISION
ARG CREATED
LABEL org.opencontainers.image.title=crscore \
    org.opencontainers.image.licenses="Apache-2.0 AND BSD-2-Clause AND BSD-3-Clause AND GPL-3.0-or-later WITH GCC-exception-3.1 AND LGPL-2.1-or-later AND MIT AND MPL-2.0 AND OFL-1.1 AND Unicode-DFS-2016 AND blessing" \
    org.opencontainers.image.version=$VERSION \
    org.opencontainers.image.revision=$REVISION \
    org.opencontainers.image.created=$CREATED
