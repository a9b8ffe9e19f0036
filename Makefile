# What one types while working on Relevance Gate. Each target does its own
# set-up; `make help` lists them.
SHELL := bash
.DEFAULT_GOAL := help

GO         ?= go
VERSION    ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS    := -s -w -X github.com/relevance-gate/relevance-gate/internal/cli.version=$(VERSION)
FUZZTIME   ?= 1m
SEED       ?= 1
RUNS       ?= 10000
LOCAL      := $(CURDIR)/.local
TOOLS      := $(LOCAL)/bin

CONTROLLER_GEN_VERSION := v0.23.0
GOLANGCI_LINT_VERSION  := v2.15.0
CONTROLLER_GEN := $(TOOLS)/controller-gen-$(CONTROLLER_GEN_VERSION)
GOLANGCI_LINT  := $(TOOLS)/golangci-lint-$(GOLANGCI_LINT_VERSION)

##@ Daily

.PHONY: help
help: ## List the targets
	@awk 'BEGIN {FS = ":.*## "} /^##@/ {printf "\n%s\n", substr($$0, 5)} /^[a-z-]+:.*## / {printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: build
build: ## Build the binary, bin/relevance-gate, which is the kubectl plugin too
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags "$(LDFLAGS)" -o bin/relevance-gate .
	ln -sf relevance-gate bin/kubectl-relevance_gate

.PHONY: test-unit
test-unit: ## Test what needs no cluster and no search engine, in seconds
	$(GO) test -shuffle=on ./...

.PHONY: test
test: ## Run every suite on a real cluster and real search engines
	hack/test

.PHONY: cover
cover: ## Fail if the packages that decide verdicts are tested by less than 95 %
	hack/cover

.PHONY: test-sim
test-sim: ## Let gates live in a simulation, RUNS times from SEED
	$(GO) test ./internal/sim -count=1 -timeout 60m -v -run TestSimulation -args -sim.seed=$(SEED) -sim.runs=$(RUNS)

.PHONY: test-sim-mutants
test-sim-mutants: ## Break the code in known ways, which the simulation must find
	$(GO) test ./internal/sim -count=1 -timeout 120m -v -run Mutants -args -sim.mutants=all -sim.seed=$(SEED) -sim.runs=4000

.PHONY: fuzz
fuzz: ## Run every fuzz target for FUZZTIME, 1m by default
	hack/fuzz $(FUZZTIME)

.PHONY: demo
demo: ## Show a bad index blocked and a good one promoted
	hack/demo/demo up

.PHONY: demo-down
demo-down: ## Remove what the demo made
	hack/demo/demo down

##@ Generated files and checks

.PHONY: generate
generate: $(CONTROLLER_GEN) ## Write the deep copies of the API types
	$(CONTROLLER_GEN) object paths=./api/...

.PHONY: manifests
manifests: $(CONTROLLER_GEN) ## Write the CRD, its copy in the chart, and the manager's role
	$(CONTROLLER_GEN) crd paths=./api/... output:crd:artifacts:config=config/crd
	$(CONTROLLER_GEN) rbac:roleName=relevance-gate-manager paths=./controllers/... output:rbac:artifacts:config=config/rbac
	cp config/crd/relevancegate.dev_relevancegates.yaml charts/relevance-gate/files/relevancegates.yaml

.PHONY: lint
lint: $(GOLANGCI_LINT) ## Run the linters
	$(GOLANGCI_LINT) run

.PHONY: verify
verify: lint chart-lint generate manifests ## Lint, and fail if a generated file is out of date
	$(GO) mod tidy
	git diff --exit-code

.PHONY: chart-lint
chart-lint: ## Lint the chart, for all namespaces and for some
	helm=$$(hack/cluster/cluster build-helm | tail -n 1) && \
	$$helm lint --strict charts/relevance-gate && \
	$$helm lint --strict charts/relevance-gate --set 'watchNamespaces={shop}'

##@ Local cluster

.PHONY: cluster-up
cluster-up: ## Start a single-node Kubernetes; its kubeconfig is .local/kubeconfig
	hack/cluster/cluster up

.PHONY: cluster-down
cluster-down: ## Stop it and leave nothing behind
	hack/cluster/cluster down

##@ Measuring

.PHONY: bench
bench: ## Measure the bars of docs/benchmarks.md as ratios
	hack/bench/bench

$(CONTROLLER_GEN):
	GOBIN=$(TOOLS) $(GO) install sigs.k8s.io/controller-tools/cmd/controller-gen@$(CONTROLLER_GEN_VERSION)
	mv $(TOOLS)/controller-gen $@

$(GOLANGCI_LINT):
	GOBIN=$(TOOLS) $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT_VERSION)
	mv $(TOOLS)/golangci-lint $@
