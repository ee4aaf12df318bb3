# What has to pass before a change lands: make check.

GO ?= go
# The race detector needs a C compiler. RACE= runs the tests without it.
RACE ?= -race

.PHONY: check format tidy vet static rules cross race test

check: format tidy vet static rules cross race

# gofmt -l prints names and succeeds, so its output is the verdict.
format:
	@files=$$(gofmt -l .); \
	if [ -n "$$files" ]; then echo "gofmt would change:"; echo "$$files"; exit 1; fi

tidy:
	$(GO) mod tidy -diff

vet:
	$(GO) vet ./...

static:
	$(GO) tool staticcheck ./...

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

race:
	$(GO) test $(RACE) ./...

# The same tests without the race detector.
test:
	$(GO) test ./...
