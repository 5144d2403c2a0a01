# The command as a static binary: docker build -t crscore .
#   docker run --rm --read-only -i crscore score --diff - --review "..." < pr.diff
#
# With --target ci it stands in an image that has git and a shell, as jobs need.

FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
# Tree-sitter and SQLite are C. Without the tags the C library would want to load
# parts of itself, which a static one cannot.
ARG GOFLAGS=-trimpath
RUN [ "$(go env GOARCH)" != amd64 ] || export GOEXPERIMENT=simd; \
    CGO_ENABLED=1 go build -buildvcs=false -tags netgo,osusergo,sqlite_omit_load_extension \
    -ldflags '-s -w -linkmode=external -extldflags=-static' -o /crscore ./cmd/crscore

FROM buildpack-deps:bookworm-scm AS ci
# The runner's user has the work tree, not the image's.
RUN git config --system --add safe.directory '*'
COPY --from=build /crscore /usr/local/bin/crscore
USER 65532:65532

# Certificates are for models that are fetched, and servers that are asked.
FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /src/LICENSE /LICENSE
COPY --from=build /crscore /crscore
USER 65532:65532
ENTRYPOINT ["/crscore"]
