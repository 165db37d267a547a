# fairbridge: what one can make. `make` alone lists it.
SHELL = /bin/bash
.SHELLFLAGS = -o pipefail -c
GO ?= go
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
FUZZTIME ?= 10s
CHECKS ?= 1000
# Property tests draw the same cases in every run; `make search` draws others.
export RAPID_SEED ?= 1
# Without the paths of this folder in what is compiled, Go keeps the results of tests across clones.
export GOFLAGS := $(strip $(filter-out -trimpath,$(GOFLAGS)) -trimpath)
SLURM ?=
# What the race detector need not see: policies are pure, and these play long days on one goroutine. make test runs them.
RACELESS = TestForgettingChangesNothing|TestEveryPolicyPlaysTheDay|TestFairbridgeShortensTheVirtualDaysWaits|TestTheVirtualDayIsTheSameEachTime|TestTheVirtualDayIsTheSameWheneverItIsPlayed
# What all programs say to --version: the tag, or what is nearest to one, and the commit. Where
# there is no git, as in an unpacked archive, give VERSION and COMMIT; without, what the Go tool knows.
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null)
COMMIT ?= $(shell git rev-parse HEAD 2>/dev/null)
export VERSION COMMIT
STAMP = fairbridge/cmd/internal/version
RELEASE = -trimpath -ldflags '-X $(STAMP).tag=$(VERSION) -X $(STAMP).commit=$(COMMIT)'
# go-nvml calls what newer drivers call deprecated; older ones have nothing else.
export CGO_CFLAGS ?= -O2 -g -Wno-deprecated-declarations

help: ## list these
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## bin/fairbridge, bin/fairbridge-lab (pure Go) and bin/nodeprobe (cgo, for the GPU nodes)
	CGO_ENABLED=0 $(GO) build $(RELEASE) -o bin/fairbridge ./cmd/fairbridge
	CGO_ENABLED=0 $(GO) build $(RELEASE) -o bin/fairbridge-lab ./cmd/fairbridge-lab
	CGO_ENABLED=1 $(GO) build $(RELEASE) -o bin/nodeprobe ./cmd/nodeprobe

check: ## the command to run while you work: format, vet and the short tests; needs no Slurm and no Postgres
	$(GO) vet ./...
	RAPID_CHECKS=$${RAPID_CHECKS:-50} $(GO) test -vet=off -short ./... # with -short a fifth of that

test: ## format, vet and every test that guards behaviour, on a private Postgres and, where one can run, a private Slurm
	@scripts/test

search: ## property tests with new random cases, CHECKS (1000) each; keep what is found in testdata/rapid
	RAPID_SEED=0 RAPID_CHECKS=$(CHECKS) $(GO) test -short -count=1 -timeout 3h \
		$$(grep -rl --include='*_test.go' 'rapid\.Check' . | xargs -n 1 dirname | sort -u)

race: ## the short tests under the race detector, where anything runs at the same time: not policies, nor days they play in reproductions and golden figures; SHARE=1/4: every fourth package
	@packages=$$($(GO) list ./... | grep -v -e '^fairbridge/policy' -e '^fairbridge/lab/reproduce' -e '^fairbridge/lab/golden' | \
		awk -v share=$(or $(SHARE),1/1) 'split(share, s, "/") && s[2] >= s[1] + 0 && s[1] + 0 > 0 && NR % s[2] == s[1] % s[2] { print; n++ } END { exit !n }') && \
	FAIRBRIDGE_VERIFY=$${FAIRBRIDGE_VERIFY:-race} $(GO) test -race -short -timeout 40m -skip '^($(RACELESS))$$' $$packages

verify: ## what is too slow for make test, in parts, those that are not yet green for this tree; PART=NAME: that one; ARGS=--list: which there are, and when each was last green
	@$(GO) run ./scripts/verify $(PART) $(ARGS)

lint: ## staticcheck
	$(GO) run $(STATICCHECK) ./...

chaos: ## the control loop under every fault: SEEDS=1-200, CYCLES=200; it goes on from chaos.state
	$(GO) run ./gear/chaos/cmd/chaos --seeds $(or $(SEEDS),1-200) --cycles $(or $(CYCLES),200) --state chaos.state

speed: ## what workloads cost, in processor time and memory, against the figures kept; ARGS=-write keeps these
	FAIRBRIDGE_VERIFY=speed $(GO) test -count=1 -timeout 1h -v -run TestNothingBecameSlower ./scripts/speed -args $(ARGS)

bench: ## all benchmarks
	$(GO) test -run '^$$' -bench . -benchmem ./...

evaluation: ## docs/evaluation.md anew; TRACES=DIR: with the published traces in that folder
	$(GO) run ./cmd/evaluation $(if $(TRACES),-traces $(TRACES))

ratios: ## policies against Slurm alone on generated days, in docs/evaluation.md: an hour, goes on where it was
	$(GO) run ./cmd/evaluation -ratios $(ARGS)

sites: ## policies against Slurm alone on real sites' logs, in docs/sites.md: goes on where it was; LOGS=FOLDER
	$(GO) run ./cmd/evaluation -logs $(LOGS) -sites fairbridge,sjf,multifactor,easy,qssf,tiresias -runs-in site-runs $(ARGS)

loop-price: ## what of the loop costs how much, in docs/evaluation.md: ten minutes on a quiet machine
	$(GO) run ./cmd/evaluation -loop-price

start-estimates: ## how good estimates of starts are, in docs/evaluation.md: ten minutes on a quiet machine; PHILLY=FILE
	$(GO) run ./cmd/evaluation -start-estimates $(if $(PHILLY),-philly $(PHILLY))

fidelity: ## docs/fidelity.md anew: the simulated Slurm against the real runs kept here; ARGS='-streams short -runs-in DIR' makes others
	$(GO) run $(RELEASE) ./cmd/fidelity $(or $(ARGS),-made -runs 10)

fuzz: ## every fuzz test for FUZZTIME (10s)
	@$(GO) test -run '^$$' -list '^Fuzz' $$(grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n 1 dirname | sort -u) | \
		awk '/^Fuzz/ { name[++n] = $$1 } /^ok/ { for (; n; n--) print $$2, name[n] }' | while read -r package name; do \
		echo "$$package $$name"; \
		$(GO) test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) $$package </dev/null || exit 1; \
	done

demo: build ## a live demonstration on a throw-away Slurm and Postgres; SLURM=sim: on the simulated one
	CGO_ENABLED=0 $(GO) build $(RELEASE) -o bin/fairbridge-demo ./cmd/fairbridge-demo
	bin/fairbridge-demo $(if $(SLURM),--slurm=$(SLURM)) $(ARGS)

screenshots: ## the pictures of docs/img, of the recording that is part of the program; needs chromium
	FAIRBRIDGE_SCREENSHOTS=$(CURDIR)/docs/img FAIRBRIDGE_REQUIRE_CHROMIUM=1 $(GO) test -count=1 -run 'TestInChromium|TestScreenshot' ./api/page ./cmd/fairbridge/topcommand ./cmd/fairbridge/ask

packages: ## deb and rpm of daemon, client and probe, in dist
	packaging/build dist

image: ## a container image of the command, in dist, that podman, skopeo and Docker load
	packaging/container dist/fairbridge-image.tar

trypackages: ## packages and image made twice, signed with a test key, installed on a bare Debian 12, upgraded, removed, purged, and by the clock beside a Slurm under systemd; as root
	FAIRBRIDGE_TRY_PACKAGES=1 $(GO) test -count=1 -v -run 'TestRelease|TestImage' ./packaging

release: packages ## packages, checksums and what is in them, in dist; KEY=FILE: signed with that key of ssh
	packaging/seal dist $(KEY)

clean: ## remove bin and dist
	rm -rf bin dist

.PHONY: help build check test search race verify lint chaos speed bench evaluation ratios sites loop-price start-estimates fidelity fuzz demo screenshots packages image trypackages release clean
