# The version is that of go.mod.
ARG GO_VERSION=1.26.8

# Built on the builder's own platform and cross-compiled: no emulation.
FROM --platform=$BUILDPLATFORM golang:${GO_VERSION} AS build
WORKDIR /src
# The modules in a layer of their own: a change of the code does not download them again.
COPY go.mod go.sum ./
RUN --mount=type=cache,target=/go/pkg/mod go mod download
COPY . .
ARG TARGETOS
ARG TARGETARCH
ARG VERSION=dev
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
    CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH go build -trimpath -buildvcs=false \
    -ldflags "-s -w -X github.com/relevance-gate/relevance-gate/internal/cli.version=$VERSION" \
    -o /relevance-gate .

# One image for the manager and for the evaluation Jobs.
FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /relevance-gate /relevance-gate
# A number, so that runAsNonRoot can be checked. It needs no user of that number: any other may be given.
USER 65532:65532
ENTRYPOINT ["/relevance-gate"]
