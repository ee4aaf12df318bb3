# What has to pass before a change lands: make check.

GO ?= go
# The race detector needs a C compiler. RACE= runs the tests without it.
RACE ?= -race

.PHONY: check format tidy vet static rules cross race test torture bench bench-console frames pictures

check: format tidy vet static rules cross race

# gofmt -l prints names and succeeds, so its output is the verdict.
format:
	@files=$$(gofmt -l .); \
	if [ -n "$$files" ]; then echo "gofmt would change:"; echo "$$files"; exit 1; fi

tidy:
	$(GO) mod tidy -diff

vet:
	$(GO) vet ./...

# Without ST1005: a complaint about an option begins with the name of its field.
static:
	$(GO) tool staticcheck -checks inherit,-ST1005 ./...

# The rules of the repository; they are quick and say what is wrong in a line.
rules:
	$(GO) test ./internal/archtest

# Nothing here runs on these systems, so vet is what finds code that only they
# compile, tests included.
cross:
	GOOS=darwin $(GO) build ./...
	GOOS=darwin $(GO) vet ./...
	GOOS=windows $(GO) build ./...
	GOOS=windows $(GO) vet ./...

# The race detector lets every process end a second late, and the tests start
# hundreds of them.
race: export GORACE ?= atexit_sleep_ms=0
race:
	$(GO) test $(RACE) ./... -timeout 30m

# The same tests without the race detector.
test:
	$(GO) test ./...

# The long forms of the tests, then every fuzz test for a while. What a fuzz
# test finds is left in testdata, where the ordinary tests run it again.
FUZZ ?= 30s
torture:
	WEFT_TORTURE=1 $(GO) test -count=1 -timeout 2h ./...
	@set -e; \
	for file in $$(grep -rl '^func Fuzz' --include='*_test.go' . | sort); do \
		for name in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\).*/\1/p' $$file); do \
			$(GO) test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZ) ./$$(dirname $$file); \
		done; \
	done

# The engine against the raw disk, as ratios. Wants a quiet machine.
bench:
	$(GO) run ./internal/bench

# The console beside a working engine, on a million runs. Wants a quiet machine.
bench-console:
	$(GO) run ./internal/bench/console

# Writes the golden frames anew; the difference is then read like code.
frames:
	$(GO) test ./tui -update

# Takes the pictures in docs/pictures anew, from the demo on a pseudo-terminal.
# They are looked at before they are committed.
pictures:
	$(GO) run ./internal/picture -out docs/pictures
